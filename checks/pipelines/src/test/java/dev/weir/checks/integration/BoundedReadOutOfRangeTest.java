package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.ExternalOffsets;
import dev.weir.kafka.FetchPath;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.OffsetOutOfRangeException;
import dev.weir.kafka.OutOfRangePolicy;
import dev.weir.kafka.Position;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.Subscription;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests a bounded read by a group whose committed offset is outside the log. Regression: the read ended immediately,
 * and its records were never read.
 */
@Timeout(120)
class BoundedReadOutOfRangeTest {

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    private final Queue<Integer> read = new ConcurrentLinkedQueue<>();

    private Sink<ConsumerRecord<byte[], byte[]>> reading() {
        return Sink.forEach(record -> read.add(Integer.valueOf(new String(record.value(), StandardCharsets.US_ASCII))));
    }

    private static ConsumerSettings.Builder<byte[], byte[]> settings(String group, FetchPath path) {
        return ConsumerSettings.builder()
                .bootstrapServers(KAFKA.bootstrapServers())
                .groupId(group)
                .fetch(path)
                .property("auto.offset.reset", "earliest");
    }

    private RunningPipeline run(ConsumerSettings<byte[], byte[]> settings, Subscription subscription) {
        return KafkaSource.from(settings, subscription)
                .atLeastOnce()
                .to(reading())
                .run();
    }

    private static TopicPartition topic(String name, long records) {
        KAFKA.cluster().createTopic(name, 1);
        Records.produce(KAFKA.bootstrapServers(), name, 0, records);
        return new TopicPartition(name, 0);
    }

    private static void commit(String group, Map<TopicPartition, Long> offsets) throws Exception {
        Map<TopicPartition, OffsetAndMetadata> commits = new HashMap<>();
        offsets.forEach((id, offset) -> commits.put(id, new OffsetAndMetadata(offset)));
        KAFKA.cluster().admin().alterConsumerGroupOffsets(group, commits).all().get();
    }

    private static void deleteUpTo(TopicPartition id, long offset) throws Exception {
        KAFKA.cluster()
                .admin()
                .deleteRecords(Map.of(id, RecordsToDelete.beforeOffset(offset)))
                .all()
                .get();
    }

    private static Integer[] numbers(int from, int to) {
        return IntStream.range(from, to).boxed().toArray(Integer[]::new);
    }

    @ParameterizedTest
    @Tag("long")
    @CsvSource({
        "CLIENT, consumer, 100, 0, 101",
        "LEAN, classic, 100, 0, 150",
        "CLIENT, classic, 0, 0, 1",
        "LEAN, classic, 100, 100, 101",
        "CLIENT, classic, 100, 100, 50",
        "LEAN, classic, 100, 100, 50",
        "CLIENT, classic, 100, 60, 10",
    })
    void commitElsewhereOutsideTheLog_byDefault_failsWithThePlaceAndTheRange(
            FetchPath path, String protocol, int records, int deleted, long committed) throws Exception {
        commitOutsideTheLog_byDefault_failsWithThePlaceAndTheRange(path, protocol, records, deleted, committed);
    }

    @ParameterizedTest
    @CsvSource({
        "CLIENT, classic, 100, 0, 150",
        // Next: an empty log, a log emptied by retention, and a position before the start of the log.
        "LEAN, consumer, 0, 0, 150",
        "CLIENT, classic, 100, 100, 150",
        "LEAN, classic, 100, 60, 10",
    })
    void commitOutsideTheLog_byDefault_failsWithThePlaceAndTheRange(
            FetchPath path, String protocol, int records, int deleted, long committed) throws Exception {
        String topic = String.join("-", "fail", path.name(), protocol, "" + records, "" + deleted, "" + committed);
        TopicPartition id = topic(topic, records);
        if (deleted > 0) {
            deleteUpTo(id, deleted);
        }
        commit(topic, Map.of(id, committed));
        var settings = settings(topic, path).property("group.protocol", protocol);
        try (RunningPipeline running =
                run(settings.build(), Subscription.topics(topic).untilEnd())) {
            assertThatThrownBy(running::await)
                    .isInstanceOf(OffsetOutOfRangeException.class)
                    .hasMessageContaining(id + "@" + committed)
                    .hasMessageContaining(deleted + " to " + records)
                    .hasMessageContaining("NEAREST");
        }
        assertThat(read).isEmpty();
        assertThat(KAFKA.cluster().committedOffsets(topic)).containsEntry(id, committed);
    }

    @ParameterizedTest
    @Tag("long")
    @CsvSource({"LEAN, EARLIEST, 0", "CLIENT, LATEST, 100", "LEAN, LATEST, 100", "CLIENT, NEAREST, 100"})
    void commitPastTheEndOfOneOfTwo_underOtherPolicies_goesOnWhereTheySay(
            FetchPath path, OutOfRangePolicy policy, int from) throws Exception {
        commitPastTheEndOfOneOfTwo_underAPolicy_goesOnWhereItSaysAndReadsTheOther(path, policy, from);
    }

    @ParameterizedTest
    @CsvSource({"CLIENT, EARLIEST, 0", "LEAN, NEAREST, 100"})
    void commitPastTheEndOfOneOfTwo_underAPolicy_goesOnWhereItSaysAndReadsTheOther(
            FetchPath path, OutOfRangePolicy policy, int from) throws Exception {
        String topic = "policy-" + path + "-" + policy;
        TopicPartition lost = topic(topic, 100);
        TopicPartition other = topic(topic + "-other", 0);
        Records.produce(KAFKA.bootstrapServers(), other.topic(), 1000, 20);
        commit(topic, Map.of(lost, 150L, other, 10L));
        Subscription both = Subscription.topics(lost.topic(), other.topic()).untilEnd();
        try (RunningPipeline running =
                run(settings(topic, path).outOfRange(policy).build(), both)) {
            assertThat(running.await().drained()).isTrue();
        }
        assertThat(read.stream().filter(number -> number < 1000)).containsExactly(numbers(from, 100));
        assertThat(read.stream().filter(number -> number >= 1000)).containsExactly(numbers(1010, 1020));
        assertThat(KAFKA.cluster().committedOffsets(topic))
                .containsEntry(lost, 100L)
                .containsEntry(other, 20L);
    }

    /** The log ends before the given end, and the committed offset is after both. */
    @ParameterizedTest
    @EnumSource(FetchPath.class)
    void givenEnd_beforeACommitPastTheLog_fails(FetchPath path) throws Exception {
        String topic = "given-" + path;
        TopicPartition id = topic(topic, 100);
        commit(topic, Map.of(id, 500L));
        try (RunningPipeline running =
                run(settings(topic, path).build(), Subscription.topics(topic).until(id, Position.offset(400)))) {
            assertThatThrownBy(running::await)
                    .isInstanceOf(OffsetOutOfRangeException.class)
                    .hasMessageContaining(id + "@500");
        }
    }

    @ParameterizedTest
    @EnumSource(FetchPath.class)
    void commitWithinTheLogAndPastTheGivenEnd_isThroughAtOnce(FetchPath path) throws Exception {
        String topic = "through-" + path;
        TopicPartition id = topic(topic, 100);
        commit(topic, Map.of(id, 70L));
        try (RunningPipeline running =
                run(settings(topic, path).build(), Subscription.topics(topic).until(id, Position.offset(50)))) {
            assertThat(running.await().drained()).isTrue();
        }
        assertThat(read).isEmpty();
        assertThat(KAFKA.cluster().committedOffsets(topic)).containsEntry(id, 70L);
    }

    @ParameterizedTest
    @EnumSource(FetchPath.class)
    void commitBetweenLastStableOffsetAndEnd_isNoLostPlace(FetchPath path) throws Exception {
        String topic = "open-" + path;
        TopicPartition id = topic(topic, 10);
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", KAFKA.bootstrapServers(), "transactional.id", topic),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            producer.initTransactions();
            producer.beginTransaction();
            for (int n = 10; n < 15; n++) {
                byte[] value = Integer.toString(n).getBytes(StandardCharsets.US_ASCII);
                producer.send(new ProducerRecord<>(topic, 0, null, value)).get();
            }
            commit(topic, Map.of(id, 13L));
            var settings = settings(topic, path).property("isolation.level", "read_committed");
            try (RunningPipeline running =
                    run(settings.build(), Subscription.topics(topic).untilEnd())) {
                assertThat(running.await().drained()).isTrue();
            }
            producer.abortTransaction();
        }
        assertThat(read).isEmpty();
        assertThat(KAFKA.cluster().committedOffsets(topic)).containsEntry(id, 13L);
    }

    @ParameterizedTest
    @Tag("long")
    @EnumSource(names = "CLIENT")
    void sourcesOfOtherKindsOnTheClientPath_pastTheEnd_fail(FetchPath path) throws Exception {
        sourcesOfOtherKinds_pastTheEnd_fail(path);
    }

    @ParameterizedTest
    @EnumSource(names = "LEAN")
    void sourcesOfOtherKinds_pastTheEnd_fail(FetchPath path) throws Exception {
        String topic = "kinds-" + path;
        TopicPartition id = topic(topic, 100);
        commit(topic, Map.of(id, 150L));
        Subscription toEnd = Subscription.topics(topic).untilEnd();
        ConsumerSettings<byte[], byte[]> settings = settings(topic, path).build();
        ExternalOffsets external = ids -> CompletableFuture.completedFuture(Map.of(id, Position.offset(150)));
        ProducerSettings<byte[], byte[]> producer = ProducerSettings.builder()
                .bootstrapServers(KAFKA.bootstrapServers())
                .build();
        List<Pipeline> pipelines = List.of(
                KafkaSource.from(settings, toEnd).atMostOnce(10).to(reading()),
                KafkaSource.from(settings, Subscription.partitions(id).untilEnd())
                        .plain(external)
                        .to(reading()),
                KafkaSource.from(
                                settings,
                                Subscription.partitions(id)
                                        .startingAt(id, Position.offset(150))
                                        .untilEnd())
                        .plain()
                        .to(reading()),
                KafkaSource.from(settings, toEnd)
                        .exactlyOnce()
                        .produceTo(
                                producer,
                                records -> records.map(
                                        record -> new ProducerRecord<>(topic, record.key(), record.value()))));
        for (Pipeline pipeline : pipelines) {
            try (RunningPipeline running = pipeline.run()) {
                assertThatThrownBy(running::await)
                        .isInstanceOf(OffsetOutOfRangeException.class)
                        .hasMessageContaining(id + "@150");
            }
        }
        assertThat(read).isEmpty();
    }
}
