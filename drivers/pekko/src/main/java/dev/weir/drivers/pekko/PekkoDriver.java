package dev.weir.drivers.pekko;

import dev.weir.driver.Driver;
import dev.weir.driver.Pacer;
import dev.weir.driver.Pass;
import dev.weir.driver.Scenario;
import dev.weir.driver.SendPlan;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.pekko.Done;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.kafka.CommitterSettings;
import org.apache.pekko.kafka.ConsumerSettings;
import org.apache.pekko.kafka.ProducerMessage;
import org.apache.pekko.kafka.ProducerSettings;
import org.apache.pekko.kafka.Subscription;
import org.apache.pekko.kafka.Subscriptions;
import org.apache.pekko.kafka.javadsl.Committer;
import org.apache.pekko.kafka.javadsl.Consumer;
import org.apache.pekko.kafka.javadsl.Producer;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.Source;

/**
 * {@code Consumer.plainSource}, {@code atMostOnceSource}, and {@code committableSource} to {@code Committer.sink}. Confined
 * to the main thread; Pekko's dispatchers run the streams.
 */
final class PekkoDriver implements Driver {
    private static final long END_SECONDS = 30;

    private final ActorSystem system = ActorSystem.create("bench");

    @Override
    public Set<Scenario> scenarios() {
        return Set.of(
                Scenario.CONSUME, Scenario.STEADY, Scenario.AT_LEAST_ONCE, Scenario.AT_MOST_ONCE, Scenario.PRODUCE);
    }

    @Override
    public void run(Pass pass) throws Exception {
        if (pass.configuration().scenario() == Scenario.PRODUCE) {
            produce(pass);
            return;
        }
        ConsumerSettings<byte[], byte[]> settings = ConsumerSettings.create(
                        system, new ByteArrayDeserializer(), new ByteArrayDeserializer())
                .withStopTimeout(Duration.ZERO)
                .withProperties(pass.consumerConfig(Map.of()));
        Subscription topic = Subscriptions.topics(pass.configuration().topic());
        Consumer.DrainingControl<Done> control = switch (pass.configuration().scenario()) {
            case CONSUME, STEADY ->
                Consumer.plainSource(settings, topic)
                        .toMat(
                                Sink.foreach(record -> pass.delivered(record.partition(), record.value())),
                                Consumer::createDrainingControl)
                        .run(system);
            case AT_MOST_ONCE ->
                Consumer.atMostOnceSource(settings, topic)
                        .toMat(
                                Sink.foreach(record -> pass.delivered(record.partition(), record.value())),
                                Consumer::createDrainingControl)
                        .run(system);
            case AT_LEAST_ONCE ->
                Consumer.committableSource(settings, topic)
                        .map(message -> {
                            pass.delivered(
                                    message.record().partition(),
                                    message.record().value());
                            return message.committableOffset();
                        })
                        .toMat(Committer.sink(committer(pass)), Consumer::createDrainingControl)
                        .run(system);
            default ->
                throw new IllegalArgumentException(
                        "not offered: " + pass.configuration().scenario());
        };
        pass.failsWith(control.streamCompletion());
        pass.awaitDone();
        control.drainAndShutdown(system.dispatcher()).toCompletableFuture().get(END_SECONDS, TimeUnit.SECONDS);
    }

    /** Commits by time, as all drivers do; the batch is as large as the setting allows. */
    private CommitterSettings committer(Pass pass) {
        return CommitterSettings.create(system)
                .withMaxInterval(Duration.ofMillis(pass.commitIntervalMillis()))
                .withMaxBatch(Integer.MAX_VALUE);
    }

    private void produce(Pass pass) throws Exception {
        ProducerSettings<byte[], byte[]> settings = ProducerSettings.create(
                        system, new ByteArraySerializer(), new ByteArraySerializer())
                .withProperties(pass.producerConfig(Map.of()));
        if (pass.inFlight() > 0) {
            settings = settings.withParallelism(pass.inFlight());
        }
        int partitions = pass.configuration().partitions();
        int valueBytes = pass.configuration().valueBytes();
        String topic = pass.configuration().topic();
        Pacer pacer = pass.pacer();
        Source<ProducerMessage.Envelope<byte[], byte[], Long>, NotUsed> records = Source.fromIterator(
                        () -> LongStream.range(0, pass.wanted()).iterator())
                .takeWhile(i -> !pass.isDone())
                .map(i -> {
                    int partition = (int) (i % partitions);
                    long ticket = pacer.next(partition);
                    return ProducerMessage.single(
                            new ProducerRecord<byte[], byte[]>(topic, partition, null, pass.value(i / partitions)),
                            ticket);
                });
        if (pass.options().containsKey(SendPlan.START)) {
            records = records.async(); // Who waits for a plan is not to hold up acknowledgements.
        }
        CompletionStage<Done> end = records.via(Producer.flexiFlow(settings))
                .runWith(Sink.foreach(written -> pass.acknowledged(written.passThrough(), valueBytes)), system);
        pass.failsWith(end);
        pass.awaitDone();
        end.toCompletableFuture().get(END_SECONDS, TimeUnit.SECONDS);
    }
}
