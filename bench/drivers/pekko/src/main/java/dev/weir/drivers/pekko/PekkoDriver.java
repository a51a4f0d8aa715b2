package dev.weir.drivers.pekko;

import dev.weir.driver.Driver;
import dev.weir.driver.Feature;
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
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.pekko.Done;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.kafka.CommitterSettings;
import org.apache.pekko.kafka.ConsumerMessage.Committable;
import org.apache.pekko.kafka.ConsumerSettings;
import org.apache.pekko.kafka.ProducerMessage;
import org.apache.pekko.kafka.ProducerSettings;
import org.apache.pekko.kafka.Subscription;
import org.apache.pekko.kafka.Subscriptions;
import org.apache.pekko.kafka.javadsl.Committer;
import org.apache.pekko.kafka.javadsl.Consumer;
import org.apache.pekko.kafka.javadsl.Producer;
import org.apache.pekko.kafka.javadsl.Transactional;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.Source;

/**
 * Runs a stream from {@code Consumer.plainSource} or {@code atMostOnceSource}, or from {@code committableSource} to
 * {@code Committer.sink} or {@code Producer.committableSink}. An exactly-once copy runs from
 * {@code Transactional.source} to {@code Transactional.sink}. Confined to the main thread; Pekko's dispatchers run the
 * streams.
 */
final class PekkoDriver implements Driver {
    private static final long END_SECONDS = 30;

    private final ActorSystem system = ActorSystem.create("bench");
    private final Map<String, String> consumer;
    private final boolean commitsByTime;

    /**
     * Creates a driver.
     *
     * @param consumer properties of the driver's consumers; the workload's properties override them
     * @param commitsByTime whether to commit only at intervals, and not after a number of records
     */
    PekkoDriver(Map<String, String> consumer, boolean commitsByTime) {
        this.consumer = consumer;
        this.commitsByTime = commitsByTime;
    }

    @Override
    public Set<Scenario> scenarios() {
        return Set.of(
                Scenario.CONSUME,
                Scenario.STEADY,
                Scenario.AT_LEAST_ONCE,
                Scenario.AT_MOST_ONCE,
                Scenario.COPY,
                Scenario.PRODUCE);
    }

    @Override
    public Set<Feature> features() {
        return Set.of(Feature.EXACTLY_ONCE, Feature.TOPICS);
    }

    private static int number(ConsumerRecord<byte[], byte[]> record, Pass pass) {
        return pass.topics().number(record.topic(), record.partition());
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
                .withProperties(pass.clientConfig().consumerOfLibrary(consumer));
        Subscription topic = Subscriptions.topics(pass.topics().names().toArray(String[]::new));
        Consumer.DrainingControl<Done> control = switch (pass.configuration().scenario()) {
            case CONSUME, STEADY ->
                Consumer.plainSource(settings, topic)
                        .toMat(
                                Sink.foreach(record -> pass.delivered(number(record, pass), record.value())),
                                Consumer::createDrainingControl)
                        .run(system);
            case AT_MOST_ONCE ->
                Consumer.atMostOnceSource(settings, topic)
                        .toMat(
                                Sink.foreach(record -> pass.delivered(number(record, pass), record.value())),
                                Consumer::createDrainingControl)
                        .run(system);
            case AT_LEAST_ONCE ->
                Consumer.committableSource(settings, topic)
                        .map(message -> {
                            pass.delivered(
                                    number(message.record(), pass),
                                    message.record().value());
                            return message.committableOffset();
                        })
                        .toMat(Committer.sink(committer(pass)), Consumer::createDrainingControl)
                        .run(system);
            case COPY ->
                pass.options().isExactlyOnce() ? copyExactlyOnce(settings, topic, pass) : copy(settings, topic, pass);
            default ->
                throw new IllegalArgumentException(
                        "not offered: " + pass.configuration().scenario());
        };
        pass.failsWith(control.streamCompletion());
        pass.awaitDone();
        control.drainAndShutdown(system.dispatcher()).toCompletableFuture().get(END_SECONDS, TimeUnit.SECONDS);
    }

    /**
     * Returns the committer's settings. With {@code commitsByTime}, the batch size is unlimited, so only the interval
     * triggers commits.
     */
    private CommitterSettings committer(Pass pass) {
        CommitterSettings settings = CommitterSettings.create(system)
                .withMaxInterval(Duration.ofMillis(pass.options().commitIntervalMillis()));
        return commitsByTime ? settings.withMaxBatch(Integer.MAX_VALUE) : settings;
    }

    private Consumer.DrainingControl<Done> copy(
            ConsumerSettings<byte[], byte[]> settings, Subscription topic, Pass pass) {
        String output = pass.outputTopic();
        return Consumer.committableSource(settings, topic)
                .map(message -> ProducerMessage.single(
                        copied(message.record(), output, pass), (Committable) message.committableOffset()))
                .toMat(Producer.committableSink(producer(pass), committer(pass)), Consumer::createDrainingControl)
                .run(system);
    }

    private Consumer.DrainingControl<Done> copyExactlyOnce(
            ConsumerSettings<byte[], byte[]> settings, Subscription topic, Pass pass) {
        String output = pass.outputTopic();
        return Transactional.source(settings, topic)
                .map(message ->
                        ProducerMessage.single(copied(message.record(), output, pass), message.partitionOffset()))
                .toMat(
                        Transactional.sink(
                                producer(pass)
                                        .withEosCommitInterval(
                                                Duration.ofMillis(pass.options().commitIntervalMillis())),
                                pass.member()),
                        Consumer::createDrainingControl)
                .run(system);
    }

    private static ProducerRecord<byte[], byte[]> copied(
            ConsumerRecord<byte[], byte[]> record, String output, Pass pass) {
        return new ProducerRecord<>(output, record.partition(), record.key(), pass.step(record.value()));
    }

    private ProducerSettings<byte[], byte[]> producer(Pass pass) {
        ProducerSettings<byte[], byte[]> settings = ProducerSettings.create(
                        system, new ByteArraySerializer(), new ByteArraySerializer())
                .withProperties(pass.clientConfig().producer(Map.of()));
        return pass.options().inFlight() > 0
                ? settings.withParallelism(pass.options().inFlight())
                : settings;
    }

    private void produce(Pass pass) throws Exception {
        ProducerSettings<byte[], byte[]> settings = producer(pass);
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
        if (pass.configuration().options().containsKey(SendPlan.START)) {
            // The source waits until records are due. Its own thread keeps this wait from delaying acknowledgements.
            records = records.async();
        }
        CompletionStage<Done> end = records.via(Producer.flexiFlow(settings))
                .runWith(Sink.foreach(written -> pass.acknowledged(written.passThrough(), valueBytes)), system);
        pass.failsWith(end);
        pass.awaitDone();
        end.toCompletableFuture().get(END_SECONDS, TimeUnit.SECONDS);
    }
}
