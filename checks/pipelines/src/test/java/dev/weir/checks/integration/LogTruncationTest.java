package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.OffsetOutOfRangeException;
import dev.weir.kafka.OutOfRangePolicy;
import dev.weir.kafka.PartitionSource;
import dev.weir.kafka.ReusableConsumer;
import dev.weir.kafka.Subscription;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests a group whose committed offset was lost when the log was truncated. Regression: the partition stalled
 * permanently.
 */
class LogTruncationTest {

    private static final Duration SOON = Duration.ofMinutes(1);

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder()
            .brokerConfig("group.consumer.min.heartbeat.interval.ms", "300")
            .brokerConfig("group.consumer.heartbeat.interval.ms", "300"));

    private final Queue<Integer> read = new ConcurrentLinkedQueue<>();

    private Sink<ConsumerRecord<byte[], byte[]>> reading() {
        return Sink.forEach(record -> read.add(Integer.valueOf(new String(record.value(), StandardCharsets.US_ASCII))));
    }

    private static ConsumerSettings.Builder<byte[], byte[]> settings(String group, String protocol) {
        return ConsumerLedger.settings(KAFKA.cluster(), group).property("group.protocol", protocol);
    }

    private static TopicPartition topic(String name, long records) {
        KAFKA.cluster().createTopic(name, 1);
        Records.produce(KAFKA.bootstrapServers(), name, 0, records);
        return new TopicPartition(name, 0);
    }

    private static void commit(String group, TopicPartition id, long offset) throws Exception {
        KAFKA.cluster()
                .admin()
                .alterConsumerGroupOffsets(group, Map.of(id, new OffsetAndMetadata(offset, Optional.of(0), "")))
                .all()
                .get();
    }

    private static OffsetAndMetadata committed(String group, TopicPartition id) {
        try {
            OffsetAndMetadata none = new OffsetAndMetadata(-1 + 1);
            return KAFKA.cluster()
                    .admin()
                    .listConsumerGroupOffsets(group)
                    .partitionsToOffsetAndMetadata()
                    .get()
                    .getOrDefault(id, none);
        } catch (Exception failure) {
            throw new AssertionError(failure);
        }
    }

    private static Integer[] numbers(int from, int to) {
        return IntStream.range(from, to).boxed().toArray(Integer[]::new);
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void commitPastTheEnd_withAnEpoch_failsWithThePlaceAndTheRange(String protocol) throws Exception {
        String topic = "cut-" + protocol;
        TopicPartition id = topic(topic, 50);
        commit(topic, id, 100);
        try (RunningPipeline running = KafkaSource.from(
                        settings(topic, protocol).build(), Subscription.topics(topic))
                .atLeastOnce()
                .to(reading())
                .run()) {
            assertThatThrownBy(running::await)
                    .isInstanceOf(OffsetOutOfRangeException.class)
                    .hasMessageContaining(id + "@100")
                    .hasMessageContaining("0 to 50")
                    .hasMessageContaining("NEAREST");
        }
        assertThat(committed(topic, id).offset()).isEqualTo(100);
        assertThat(read).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "classic, EARLIEST, 0",
        "consumer, EARLIEST, 0",
        "classic, LATEST, 50",
        "consumer, LATEST, 50",
        "classic, NEAREST, 50",
        "consumer, NEAREST, 50"
    })
    void commitPastTheEnd_withAnEpoch_goesOnWhereThePolicySays(String protocol, OutOfRangePolicy policy, int from)
            throws Exception {
        String topic = "cut-" + protocol + "-" + policy;
        TopicPartition id = topic(topic, 50);
        commit(topic, id, 100);
        try (RunningPipeline running = KafkaSource.from(
                        settings(topic, protocol).outOfRange(policy).build(), Subscription.topics(topic))
                .atLeastOnce()
                .to(reading())
                .run()) {
            ConsumerLedger.await(
                    "the end is committed", SOON, () -> committed(topic, id).offset() == 50);
            Records.produce(KAFKA.bootstrapServers(), topic, 50, 5);
            ConsumerLedger.await("new records", SOON, () -> read.size() == 55 - from);
            assertThat(read).containsExactly(numbers(from, 55));
            assertThat(running.completion()).isNotDone();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "classic, committable",
        "consumer, committable",
        "classic, at-most-once",
        "consumer, at-most-once",
        "classic, partitioned",
        "classic, shared"
    })
    void commit_ofEachSource_carriesTheLeaderEpoch(String protocol, String source) throws Exception {
        String topic = "epoch-" + protocol + "-" + source;
        TopicPartition id = topic(topic, 50);
        ConsumerSettings<byte[], byte[]> settings = settings(topic, protocol).build();
        Subscription topics = Subscription.topics(topic);
        try (ReusableConsumer<byte[], byte[]> shared =
                        source.equals("shared") ? ReusableConsumer.start(settings, topics) : null;
                RunningPipeline running = run(source, settings, topics, shared)) {
            ConsumerLedger.await(
                    "the end is committed", SOON, () -> committed(topic, id).offset() == 50);
            assertThat(committed(topic, id).leaderEpoch()).contains(0);
            assertThat(running.completion()).isNotDone();
        }
    }

    private RunningPipeline run(
            String source,
            ConsumerSettings<byte[], byte[]> settings,
            Subscription topics,
            @Nullable ReusableConsumer<byte[], byte[]> shared) {
        if (shared != null) {
            return shared.records().to(reading()).run();
        }
        return switch (source) {
            case "committable" ->
                KafkaSource.from(settings, topics).atLeastOnce().to(reading()).run();
            case "at-most-once" ->
                KafkaSource.from(settings, topics).atMostOnce(10).to(reading()).run();
            case "partitioned" ->
                KafkaSource.from(settings, topics)
                        .partitioned()
                        .flatMapMerge(4, PartitionSource::records)
                        .to(reading())
                        .run();
            default -> throw new AssertionError(source);
        };
    }
}
