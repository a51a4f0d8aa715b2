package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.FetchPath;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.OffsetOutOfRangeException;
import dev.weir.kafka.OutOfRangePolicy;
import dev.weir.kafka.Position;
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
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests a bounded read by a group whose log was truncated and has grown again past the committed offset. Regression:
 * the read ended without the new records.
 */
@Timeout(120)
class BoundedReadTruncationTest {

    private static final Duration SOON = Duration.ofMinutes(1);

    /** Records 0 to 100 have the first leader epoch, and the records up to 160 have a later one. */
    private static final TopicPartition REGROWN = new TopicPartition("regrown", 0);

    /** All records have the first leader epoch, although the leader now has a later one. */
    private static final TopicPartition UNCHANGED = new TopicPartition("unchanged", 0);

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    private static int firstEpoch;
    private static int laterEpoch;

    private final Queue<Integer> read = new ConcurrentLinkedQueue<>();

    @BeforeAll
    static void writeInTwoEpochs() throws Exception {
        for (TopicPartition id : new TopicPartition[] {REGROWN, UNCHANGED}) {
            KAFKA.cluster().createTopic(id.topic(), 1);
            Records.produce(KAFKA.bootstrapServers(), id.topic(), 0, 100);
        }
        firstEpoch = leaderEpoch();
        KAFKA.cluster().broker(1).stop();
        KAFKA.cluster().broker(1).start();
        ConsumerLedger.await("a new leader epoch", SOON, () -> leaderEpoch() > firstEpoch);
        laterEpoch = leaderEpoch();
        Records.produce(KAFKA.bootstrapServers(), REGROWN.topic(), 100, 60);
    }

    private static int leaderEpoch() {
        try {
            return KAFKA.cluster()
                    .admin()
                    .listOffsets(Map.of(REGROWN, OffsetSpec.latest()))
                    .partitionResult(REGROWN)
                    .get()
                    .leaderEpoch()
                    .orElseThrow();
        } catch (Exception failure) {
            throw new AssertionError("no leader epoch of " + REGROWN, failure);
        }
    }

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

    private static void commit(String group, TopicPartition id, long offset, int epoch) throws Exception {
        KAFKA.cluster()
                .admin()
                .alterConsumerGroupOffsets(group, Map.of(id, new OffsetAndMetadata(offset, Optional.of(epoch), "")))
                .all()
                .get();
    }

    private static Integer[] numbers(int from, int to) {
        return IntStream.range(from, to).boxed().toArray(Integer[]::new);
    }

    @ParameterizedTest
    @CsvSource({
        "CLIENT, classic, 160",
        "LEAN, consumer, 160",
        // These commits are past the end of the read. The log contains offset 130, but not 170.
        "CLIENT, consumer, 130",
        "LEAN, classic, 130",
        "LEAN, classic, 170",
    })
    void commitOfReplacedRecords_byDefault_failsWithTheOffsetAndTheEpoch(FetchPath path, String protocol, long offset)
            throws Exception {
        String group = String.join("-", "fail", path.name(), protocol, "" + offset);
        commit(group, REGROWN, offset, firstEpoch);
        Subscription subscription = offset == 130
                ? Subscription.topics(REGROWN.topic()).until(REGROWN, Position.offset(120))
                : Subscription.topics(REGROWN.topic()).untilEnd();
        var settings = settings(group, path).property("group.protocol", protocol);
        try (RunningPipeline running = run(settings.build(), subscription)) {
            assertThatThrownBy(running::await)
                    .isInstanceOf(OffsetOutOfRangeException.class)
                    .hasMessageContaining(REGROWN + "@" + offset)
                    .hasMessageContaining("leader epoch " + firstEpoch)
                    .hasMessageContaining("from offset 100 on")
                    .hasMessageContaining("NEAREST");
        }
        assertThat(read).isEmpty();
        assertThat(KAFKA.cluster().committedOffsets(group)).containsEntry(REGROWN, offset);
    }

    @ParameterizedTest
    @CsvSource({"CLIENT, NEAREST, 100", "LEAN, NEAREST, 100", "CLIENT, EARLIEST, 0", "LEAN, LATEST, 160"})
    void commitOfReplacedRecords_underAPolicy_goesOnWhereItSays(FetchPath path, OutOfRangePolicy policy, int from)
            throws Exception {
        String group = "policy-" + path + "-" + policy;
        commit(group, REGROWN, 160, firstEpoch);
        commit(group, UNCHANGED, 100, firstEpoch);
        Subscription both =
                Subscription.topics(REGROWN.topic(), UNCHANGED.topic()).untilEnd();
        try (RunningPipeline running =
                run(settings(group, path).outOfRange(policy).build(), both)) {
            assertThat(running.await().drained()).isTrue();
        }
        assertThat(read).containsExactly(numbers(from, 160));
        assertThat(KAFKA.cluster().committedOffsets(group))
                .containsEntry(REGROWN, 160L)
                .containsEntry(UNCHANGED, 100L);
    }

    @ParameterizedTest
    @EnumSource
    void commitOfAnEpochThatNoLeaderHad_byDefault_fails(FetchPath path) throws Exception {
        String group = "unknown-" + path;
        commit(group, REGROWN, 160, laterEpoch + 5);
        Subscription toEnd = Subscription.topics(REGROWN.topic()).untilEnd();
        try (RunningPipeline running = run(settings(group, path).build(), toEnd)) {
            assertThatThrownBy(running::await)
                    .isInstanceOf(OffsetOutOfRangeException.class)
                    .hasMessageContaining(REGROWN + "@160")
                    .hasMessageContaining("leader epoch " + (laterEpoch + 5));
        }
    }

    @ParameterizedTest
    @EnumSource
    void commitsThatTheLogStillHas_afterAChangeOfTheLeader_areReadToTheEnd(FetchPath path) throws Exception {
        String group = "same-" + path;
        commit(group, UNCHANGED, 100, firstEpoch);
        commit(group, REGROWN, 160, laterEpoch);
        Subscription both =
                Subscription.topics(REGROWN.topic(), UNCHANGED.topic()).untilEnd();
        try (RunningPipeline running = run(settings(group, path).build(), both)) {
            assertThat(running.await().drained()).isTrue();
        }
        assertThat(read).isEmpty();
        assertThat(KAFKA.cluster().committedOffsets(group))
                .containsEntry(UNCHANGED, 100L)
                .containsEntry(REGROWN, 160L);
    }
}
