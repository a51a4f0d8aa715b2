package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.OutOfRangePolicy;
import dev.weir.kafka.RecreatedTopicException;
import dev.weir.kafka.Subscription;
import dev.weir.stream.Ordering;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests readers of a topic that is deleted and recreated under the same name. Regression: reading continued in the
 * middle of the new topic, and its first records were silently lost.
 */
@Timeout(120)
class RecreatedTopicReadTest {

    private static final Duration SOON = Duration.ofMinutes(1);
    private static final int PARTITIONS = 2;
    private static final int OLD = 400;
    private static final int NEW_FROM = 10_000;

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder()
            .brokerConfig("auto.create.topics.enable", "false")
            .brokerConfig("group.consumer.min.heartbeat.interval.ms", "300")
            .brokerConfig("group.consumer.heartbeat.interval.ms", "300"));

    private final Set<Integer> read = ConcurrentHashMap.newKeySet();

    private Sink<ConsumerRecord<byte[], byte[]>> reading() {
        return Sink.forEach(record -> read.add(Integer.valueOf(new String(record.value(), StandardCharsets.US_ASCII))));
    }

    private static ConsumerSettings.Builder<byte[], byte[]> settings(String group, String protocol) {
        return ConsumerLedger.settings(KAFKA.cluster(), group).property("group.protocol", protocol);
    }

    private RunningPipeline run(String source, ConsumerSettings<byte[], byte[]> settings, String topic) {
        Subscription topics = Subscription.topics(topic);
        return switch (source) {
            case "committable" ->
                KafkaSource.from(settings, topics).atLeastOnce().to(reading()).run();
            case "at-most-once" ->
                KafkaSource.from(settings, topics).atMostOnce(10).to(reading()).run();
            case "given" ->
                KafkaSource.from(
                                settings,
                                Subscription.partitions(new TopicPartition(topic, 0), new TopicPartition(topic, 1)))
                        .atLeastOnce()
                        .to(reading())
                        .run();
            case "plain" ->
                KafkaSource.from(settings, topics).plain().to(reading()).run();
            default -> throw new AssertionError(source);
        };
    }

    private static void create(String topic) {
        KAFKA.cluster().createTopic(topic, PARTITIONS);
        Records.produce(KAFKA.bootstrapServers(), topic, 0, OLD);
    }

    private static void makeAgain(String topic, int records) {
        KAFKA.cluster().deleteTopic(topic);
        KAFKA.cluster().createTopic(topic, PARTITIONS);
        Records.produce(KAFKA.bootstrapServers(), topic, NEW_FROM, records);
    }

    private static Object failure(RunningPipeline running) {
        return running.completion().isCompletedExceptionally()
                ? running.completion().exceptionNow()
                : "no failure";
    }

    private long readOfTheNewOne() {
        return read.stream().filter(number -> number >= NEW_FROM).count();
    }

    private static long committed(String group) {
        return KAFKA.cluster().committedOffsets(group).values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    // The stalled client requests no metadata. Its position is then in the middle of the new log.
    @ParameterizedTest
    @CsvSource({
        "consumer, committable, NEAREST, 1000",
        "classic, plain, NEAREST, 1000",
        "classic, committable, NEAREST, 100",
        "consumer, given, EARLIEST, 1000"
    })
    void run_whoseTopicIsRecreatedWhileItStandsStill_readsAllOfTheNewOne(
            String protocol, String source, OutOfRangePolicy policy, int records) throws Exception {
        String topic = "still-" + protocol + "-" + source + "-" + policy + "-" + records;
        create(topic);
        var settings = settings(topic, protocol).outOfRange(policy).build();
        try (RunningPipeline running = run(source, settings, topic)) {
            ConsumerLedger.await("the old one is read", SOON, () -> read.size() == OLD);
            ConsumerHandle handle = running.handles(ConsumerHandle.class).get(0);
            handle.pause().toCompletableFuture().join();
            makeAgain(topic, records);
            handle.resume().toCompletableFuture().join();
            ConsumerLedger.await(
                    () -> "all of the new one is read, now " + readOfTheNewOne() + ", " + failure(running) + ", "
                            + handle.dump(),
                    SOON,
                    () -> readOfTheNewOne() == records);
            if (!source.equals("plain")) {
                ConsumerLedger.await("its end is committed", SOON, () -> committed(topic) == records);
            }
            assertThat(running.completion()).isNotDone();
        }
    }

    @ParameterizedTest
    @Tag("long")
    @CsvSource({
        "classic, committable, NEAREST, 1000",
        "classic, committable, EARLIEST, 1000",
        "classic, at-most-once, NEAREST, 1000",
        "consumer, committable, NEAREST, 100"
    })
    void run_ofOtherSourcesWhoseTopicIsRecreated_readsAllOfTheNewOne(
            String protocol, String source, OutOfRangePolicy policy, int records) throws Exception {
        run_whoseTopicIsRecreatedWhileItStandsStill_readsAllOfTheNewOne(protocol, source, policy, records);
    }

    // The end of the bounded read refers to the deleted topic.
    @Test
    void boundedRead_whoseTopicIsRecreated_fails_whateverThePolicy() throws Exception {
        String topic = "bounded";
        create(topic);
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch paused = new CountDownLatch(1);
        // These limits leave most records of the topic unread.
        var settings = settings(topic, "classic")
                .outOfRange(OutOfRangePolicy.NEAREST)
                .maxOutstandingRecords(10)
                .property("max.poll.records", "10");
        try (RunningPipeline running = KafkaSource.from(
                        settings.build(), Subscription.topics(topic).untilEnd())
                .atLeastOnce()
                .mapBlocking(1, Ordering.unordered(), record -> {
                    begun.countDown();
                    paused.await();
                    return record;
                })
                .to(reading())
                .run()) {
            begun.await();
            running.handles(ConsumerHandle.class)
                    .getFirst()
                    .pause()
                    .toCompletableFuture()
                    .join();
            paused.countDown();
            makeAgain(topic, 1000);
            assertThatThrownBy(running::await)
                    .isInstanceOf(RecreatedTopicException.class)
                    .hasMessageContaining(topic + "-")
                    .hasMessageContaining("read again");
        }
        assertThat(readOfTheNewOne()).isZero();
    }

    // Regression: a group that starts at the end skipped the first records of the new topic.
    @Test
    void run_thatBeginsAtTheEndAndIsGivenATopicRecreated_readsAllOfTheNewOne() throws Exception {
        String topic = "given-anew";
        KAFKA.cluster().createTopic(topic, PARTITIONS);
        // The new topic must have its records when the group assigns it.
        KAFKA.cluster()
                .admin()
                .incrementalAlterConfigs(Map.of(
                        new ConfigResource(ConfigResource.Type.GROUP, topic),
                        Set.of(new AlterConfigOp(
                                new ConfigEntry("consumer.heartbeat.interval.ms", "1500"), AlterConfigOp.OpType.SET))))
                .all()
                .get();
        var settings = settings(topic, "consumer")
                .outOfRange(OutOfRangePolicy.NEAREST)
                .property("auto.offset.reset", "latest")
                .build();
        try (RunningPipeline running = run("committable", settings, topic)) {
            ConsumerLedger.await(
                    "its places are committed",
                    SOON,
                    () -> KAFKA.cluster().committedOffsets(topic).size() == PARTITIONS);
            Records.produce(KAFKA.bootstrapServers(), topic, 0, OLD);
            ConsumerLedger.await("the old one is read", SOON, () -> committed(topic) == OLD);
            ConsumerHandle handle = running.handles(ConsumerHandle.class).getFirst();
            KAFKA.cluster().deleteTopic(topic);
            ConsumerLedger.await(
                    "the group takes it away",
                    SOON,
                    () -> handle.dump().partitions().isEmpty());
            KAFKA.cluster().createTopic(topic, PARTITIONS);
            Records.produce(KAFKA.bootstrapServers(), topic, NEW_FROM, 1000);
            ConsumerLedger.await(
                    () -> "all of the new one is read, now " + readOfTheNewOne() + ", " + failure(running),
                    SOON,
                    () -> readOfTheNewOne() == 1000);
            assertThat(running.completion()).isNotDone();
        }
    }

    @ParameterizedTest
    @CsvSource({"classic, committable", "classic, plain"})
    void run_whoseTopicIsRecreatedUnderFail_failsWithThePlaceOrReadsAll(String protocol, String source)
            throws Exception {
        String topic = "fail-" + protocol + "-" + source;
        create(topic);
        try (RunningPipeline running = run(source, settings(topic, protocol).build(), topic)) {
            ConsumerLedger.await("the old one is read", SOON, () -> read.size() == OLD);
            makeAgain(topic, 1000);
            ConsumerLedger.await(
                    "it has failed, or has all",
                    SOON,
                    () -> running.completion().isDone() || readOfTheNewOne() == 1000);
            if (protocol.equals("consumer") && !running.completion().isDone()) {
                // The group assigned the new partitions after their revocation.
                return;
            }
            assertThatThrownBy(running::await)
                    .isInstanceOf(RecreatedTopicException.class)
                    .hasMessageContaining(topic + "-")
                    .hasMessageContaining("@")
                    .hasMessageContaining("NEAREST");
        }
    }

    @ParameterizedTest
    @Tag("long")
    @CsvSource("consumer, committable")
    void run_underFailOnTheConsumerProtocol_failsWithThePlaceOrReadsAll(String protocol, String source)
            throws Exception {
        run_whoseTopicIsRecreatedUnderFail_failsWithThePlaceOrReadsAll(protocol, source);
    }

    @ParameterizedTest
    @CsvSource({
        "classic, committable",
        "consumer, committable",
        "classic, at-most-once",
    })
    void restart_afterTheTopicWasRecreated_readsAllOfTheNewOneOrFails(String protocol, String source) throws Exception {
        String topic = "again-" + protocol + "-" + source;
        create(topic);
        try (RunningPipeline first = run(source, settings(topic, protocol).build(), topic)) {
            // With at most once, a record is committed before it is read.
            ConsumerLedger.await(
                    "the old one is read and committed", SOON, () -> committed(topic) == OLD && read.size() == OLD);
            assertThat(first.drain(SOON).drained()).isTrue();
        }
        makeAgain(topic, 1000);
        // Brokers delete the commits of a deleted topic late, and may keep them if the group has no member, as here.
        try (RunningPipeline failing = run(source, settings(topic, protocol).build(), topic)) {
            if (committed(topic) == OLD) {
                assertThatThrownBy(failing::await).isInstanceOf(RecreatedTopicException.class);
                assertThat(readOfTheNewOne()).isZero();
            }
        }
        var settings =
                settings(topic, protocol).outOfRange(OutOfRangePolicy.NEAREST).build();
        try (RunningPipeline again = run(source, settings, topic)) {
            ConsumerLedger.await(
                    () -> "all of the new one is read, now " + readOfTheNewOne(),
                    SOON,
                    () -> readOfTheNewOne() == 1000);
            assertThat(again.completion()).isNotDone();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void commit_ofATopic_saysWhichTopic(String protocol) throws Exception {
        String topic = "said-" + protocol;
        create(topic);
        var settings = settings(topic, protocol)
                .commitMetadata((name, partition, offset) -> "mine " + offset)
                .build();
        try (RunningPipeline running = run("committable", settings, topic)) {
            ConsumerLedger.await("all is committed", SOON, () -> committed(topic) == OLD);
            for (OffsetAndMetadata commit : commits(topic).values()) {
                assertThat(commit.metadata()).contains(id(topic)).endsWith(":mine " + commit.offset());
            }
            assertThat(running.completion()).isNotDone();
        }
    }

    private static Map<TopicPartition, OffsetAndMetadata> commits(String group)
            throws InterruptedException, ExecutionException {
        return KAFKA.cluster()
                .admin()
                .listConsumerGroupOffsets(group)
                .partitionsToOffsetAndMetadata()
                .get();
    }

    private static String id(String topic) throws InterruptedException, ExecutionException {
        return KAFKA.cluster()
                .admin()
                .describeTopics(Set.of(topic))
                .topicNameValues()
                .get(topic)
                .get()
                .topicId()
                .toString();
    }

    // Only the partitions of the missing topic wait. The message names them.
    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void run_whoseOneTopicIsGone_readsTheOthersOn(String protocol) throws Exception {
        String gone = "gone-" + protocol;
        String other = "other-" + protocol;
        create(gone);
        create(other);
        var settings =
                settings(gone, protocol).outOfRange(OutOfRangePolicy.NEAREST).build();
        try (RunningPipeline running = KafkaSource.from(settings, Subscription.topics(gone, other))
                .atLeastOnce()
                .to(reading())
                .run()) {
            ConsumerLedger.await("both are read", SOON, () -> committed(gone) == 2 * OLD);
            KAFKA.cluster().deleteTopic(gone);
            Records.produce(KAFKA.bootstrapServers(), other, 2 * NEW_FROM, 500);
            ConsumerLedger.await("the other one goes on", SOON, () -> readOfTheNewOne() == 500);
            KAFKA.cluster().createTopic(gone, PARTITIONS);
            Records.produce(KAFKA.bootstrapServers(), gone, NEW_FROM, 1000);
            ConsumerLedger.await("the new one is read", SOON, () -> readOfTheNewOne() == 1500);
            assertThat(running.completion()).isNotDone();
        }
    }
}
