package dev.weir.cli.tune;

import dev.weir.command.terminal.CliFailure;
import dev.weir.command.terminal.Progress;
import dev.weir.command.terminal.Shutdown;
import dev.weir.examples.asimov.AsimovPipeline;
import dev.weir.examples.asimov.EventGenerator;
import dev.weir.stream.spi.Thrown;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** Writes the input events for all versions of the pipeline, before the first version starts. */
final class Events {
    /** Fixed times of the events, so that the outputs of several runs can be equal. */
    private static final long FIRST_TIMESTAMP_MILLIS = 1_767_225_600_000L;

    private static final int EVENTS_PER_LOOK = 1_000;

    private Events() {}

    /** Writes {@code count} events; fewer if the command is stopped. */
    static void write(
            String bootstrapServers, EventGenerator generator, int count, Progress progress, Shutdown shutdown) {
        Map<String, Object> config = Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrapServers,
                // One request in flight: a new topic's leader may refuse the first batch and accept the second.
                ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION,
                1,
                ProducerConfig.BATCH_SIZE_CONFIG,
                128 * 1024);
        AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (int index = 0; index < count && failure.get() == null; index++) {
                if (index % EVENTS_PER_LOOK == 0) {
                    if (shutdown.isRequested()) {
                        return;
                    }
                    int written = index;
                    progress.update(() -> String.format(Locale.ROOT, "writing the events: %,d of %,d", written, count));
                }
                ProducerRecord<byte[], byte[]> event = generator.record(AsimovPipeline.EVENTS, index);
                var unused = producer.send(
                        new ProducerRecord<>(
                                event.topic(),
                                null,
                                FIRST_TIMESTAMP_MILLIS + index,
                                event.key(),
                                event.value(),
                                event.headers()),
                        (metadata, refused) -> {
                            if (refused != null) {
                                failure.compareAndSet(null, refused);
                            }
                        });
            }
            producer.flush();
        }
        Exception refused = failure.get();
        if (refused != null) {
            throw CliFailure.work("events could not be produced: " + Thrown.reason(refused), "", refused);
        }
    }
}
