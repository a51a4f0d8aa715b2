package dev.weir.drivers.pekko;

import dev.weir.driver.Driver;
import dev.weir.driver.Pass;
import dev.weir.driver.Scenario;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.pekko.Done;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.kafka.CommitterSettings;
import org.apache.pekko.kafka.ConsumerSettings;
import org.apache.pekko.kafka.Subscription;
import org.apache.pekko.kafka.Subscriptions;
import org.apache.pekko.kafka.javadsl.Committer;
import org.apache.pekko.kafka.javadsl.Consumer;
import org.apache.pekko.stream.javadsl.Sink;

/**
 * {@code Consumer.plainSource}, {@code atMostOnceSource}, and {@code committableSource} to {@code Committer.sink}. Confined
 * to the main thread; Pekko's dispatchers run the streams.
 */
final class PekkoDriver implements Driver {
    private static final long END_SECONDS = 30;

    private final ActorSystem system = ActorSystem.create("bench");

    @Override
    public Set<Scenario> scenarios() {
        return Set.of(Scenario.CONSUME, Scenario.AT_LEAST_ONCE, Scenario.AT_MOST_ONCE);
    }

    @Override
    public void run(Pass pass) throws Exception {
        ConsumerSettings<byte[], byte[]> settings = ConsumerSettings.create(
                        system, new ByteArrayDeserializer(), new ByteArrayDeserializer())
                .withStopTimeout(Duration.ZERO)
                .withProperties(pass.consumerConfig(Map.of()));
        Subscription topic = Subscriptions.topics(pass.configuration().topic());
        Consumer.DrainingControl<Done> control = switch (pass.configuration().scenario()) {
            case CONSUME ->
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
}
