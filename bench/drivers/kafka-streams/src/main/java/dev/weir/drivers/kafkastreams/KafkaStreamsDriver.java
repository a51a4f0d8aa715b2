package dev.weir.drivers.kafkastreams;

import dev.weir.driver.Driver;
import dev.weir.driver.Feature;
import dev.weir.driver.Pass;
import dev.weir.driver.Scenario;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.CloseOptions;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Produced;

/**
 * Runs a stateless topology of {@code stream()}, {@code mapValues()} and {@code to()}. Confined to the main thread; the
 * library's threads run the topology.
 */
final class KafkaStreamsDriver implements Driver {
    private static final Duration CLOSE = Duration.ofSeconds(30);

    private final int threads;

    KafkaStreamsDriver(int threads) {
        this.threads = threads;
    }

    @Override
    public Set<Scenario> scenarios() {
        return Set.of(Scenario.COPY);
    }

    @Override
    public Set<Feature> features() {
        return Set.of(Feature.EXACTLY_ONCE);
    }

    @Override
    public void run(Pass pass) throws Exception {
        Path state = Files.createTempDirectory("weir-kafka-streams-");
        try {
            KafkaStreams streams = new KafkaStreams(topology(pass), config(pass, state));
            try {
                streams.setUncaughtExceptionHandler(failure -> {
                    pass.fail(failure);
                    return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
                });
                streams.start();
                pass.awaitDone();
            } finally {
                // Unlike a try-with-resources statement, close() has a time limit.
                close(streams);
            }
            streams.cleanUp();
        } finally {
            delete(state);
        }
    }

    private static void close(KafkaStreams streams) {
        if (!streams.close(CloseOptions.timeout(CLOSE)
                .withGroupMembershipOperation(CloseOptions.GroupMembershipOperation.LEAVE_GROUP))) {
            throw new IllegalStateException("it did not close within " + CLOSE.toSeconds() + " s");
        }
    }

    private static void delete(Path state) throws IOException {
        try (var left = Files.walk(state)) {
            for (Path path : left.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }

    private static Topology topology(Pass pass) {
        // Writes each record to the partition with the same number as its source partition.
        List<Optional<Set<Integer>>> partitions = IntStream.range(
                        0, pass.configuration().partitions())
                .mapToObj(partition -> Optional.of(Set.of(partition)))
                .toList();
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream(pass.configuration().topic(), Consumed.with(Serdes.ByteArray(), Serdes.ByteArray()))
                .mapValues(value -> pass.step(value))
                .to(
                        pass.outputTopic(),
                        Produced.with(
                                Serdes.ByteArray(),
                                Serdes.ByteArray(),
                                (topic, key, value, count) -> partitions.get(pass.partition(value))));
        return builder.build();
    }

    private Properties config(Pass pass, Path state) {
        Properties config = new Properties();
        config.putAll(pass.clientConfig().connection());
        Map<String, String> client = pass.configuration().client();
        client.forEach((name, value) -> {
            if (ConsumerConfig.configNames().contains(name)) {
                config.put(StreamsConfig.consumerPrefix(name), value);
            }
            if (ProducerConfig.configNames().contains(name)) {
                config.put(StreamsConfig.producerPrefix(name), value);
            }
        });
        config.put(StreamsConfig.APPLICATION_ID_CONFIG, pass.group());
        config.put(StreamsConfig.STATE_DIR_CONFIG, state.toString());
        config.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, Integer.toString(threads));
        config.put(
                StreamsConfig.COMMIT_INTERVAL_MS_CONFIG,
                Long.toString(pass.options().commitIntervalMillis()));
        config.put(
                StreamsConfig.PROCESSING_GUARANTEE_CONFIG,
                pass.options().isExactlyOnce() ? StreamsConfig.EXACTLY_ONCE_V2 : StreamsConfig.AT_LEAST_ONCE);
        return config;
    }
}
