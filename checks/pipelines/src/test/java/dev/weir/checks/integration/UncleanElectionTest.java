package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.checks.integration.LostLogCase.GroupState;
import dev.weir.testkit.Broker;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests the election of a leader that has missed records. The log loses its end and grows again. Regression: clients
 * waited forever if the new log was shorter, and skipped records if it was longer.
 */
class UncleanElectionTest {

    private static final int BASE = 100;
    private static final int LOST = 60;
    private static final Duration SOON = Duration.ofMinutes(2);

    @RegisterExtension
    static final KafkaClusterExtension KAFKA =
            new KafkaClusterExtension(KafkaCluster.builder().brokers(3).forked().heapMegabytes(256));

    /** The length of the new log, compared with the lost end. */
    enum NewLog {
        SHORTER(LOST / 2),
        LONGER(LOST * 2);

        private final int records;

        NewLog(int records) {
            this.records = records;
        }
    }

    // The long test below covers all combinations. LogTruncationTest covers a log that is shorter than the committed
    // offset.
    @ParameterizedTest
    @Tag("long")
    @EnumSource(names = "LONGER")
    @Timeout(600)
    void newLeader_withoutTheEndOfTheLog_isReadFromTheDivergenceOrFailsTheRun(NewLog log) throws Exception {
        election(
                log,
                Stream.of(
                                "classic client FAIL RUNNING",
                                "consumer client FAIL STOPPED",
                                "consumer lean FAIL RUNNING",
                                "classic lean FAIL STOPPED",
                                "consumer client EARLIEST RUNNING",
                                "classic client EARLIEST STOPPED",
                                "classic lean EARLIEST RUNNING",
                                "classic client NEAREST RUNNING",
                                "consumer client NEAREST STOPPED",
                                "consumer lean NEAREST STOPPED",
                                "consumer client LATEST RUNNING",
                                "classic lean LATEST STOPPED")
                        .map(LostLogCase::of)
                        .toList());
    }

    @ParameterizedTest
    @EnumSource
    @Tag("long")
    @Timeout(900)
    void newLeader_inEachCombination_isReadFromTheDivergenceOrFailsTheRun(NewLog log) throws Exception {
        election(log, LostLogCase.all(GroupState.RUNNING, GroupState.STOPPED));
    }

    private static void election(NewLog log, List<LostLogCase> cases) throws Exception {
        String topic = "unclean-" + log + "-" + cases.size();
        TopicPartition diverging = new TopicPartition(topic, 0);
        TopicPartition healthy = new TopicPartition(topic, 1);
        create(topic, Map.of(0, List.of(2, 3), 1, List.of(1, 3)));
        List<LostLogReader> readers = new ArrayList<>();
        try (LostLogWriter writer = new LostLogWriter(KAFKA.bootstrapServers())) {
            writer.write(diverging, "base", BASE);
            writer.write(healthy, "base", BASE);
            for (LostLogCase each : cases) {
                readers.add(LostLogReader.start(KAFKA.bootstrapServers(), topic, each));
            }
            awaitAll("the beginning is read", readers, reader -> reader.hasSeen("base", 2 * BASE));

            KAFKA.cluster().broker(3).stop();
            writer.write(diverging, "lost", LOST);
            awaitAll("the end that will be lost is read", readers, reader -> reader.hasSeen("lost", LOST));
            awaitAll(
                    "it is committed", readers, reader -> reader.hasCommitted(KAFKA.cluster(), diverging, BASE + LOST));
            for (LostLogReader reader : of(readers, GroupState.STOPPED)) {
                reader.drain();
            }
            KAFKA.cluster().broker(2).kill();
            writer.write(healthy, "meanwhile", BASE);
            awaitAll(
                    "the healthy partition is read while the other has no leader",
                    of(readers, GroupState.RUNNING),
                    reader -> reader.hasSeen("meanwhile", BASE));

            KAFKA.cluster().broker(3).start();
            awaitLeader(diverging, 3);
            assertThat(KAFKA.cluster().endOffsets(topic)).as("truncated").containsEntry(diverging, (long) BASE);
            writer.write(diverging, "new", log.records);
            writer.write(healthy, "new-healthy", BASE);
            of(readers, GroupState.STOPPED).forEach(LostLogReader::startAgain);
            LostLogVerdicts.await(readers, diverging, writer, log.records, SOON);
        } finally {
            readers.forEach(LostLogReader::close);
            KAFKA.cluster().brokers().forEach(Broker::start);
        }
    }

    private static List<LostLogReader> of(List<LostLogReader> readers, GroupState state) {
        return readers.stream()
                .filter(reader -> reader.parameters().state() == state)
                .toList();
    }

    private static void awaitAll(String what, List<LostLogReader> readers, Predicate<LostLogReader> condition) {
        ConsumerLedger.await(
                () -> what + ", but not by "
                        + readers.stream().filter(condition.negate()).toList(),
                SOON,
                () -> readers.stream().allMatch(condition));
    }

    private static void create(String topic, Map<Integer, List<Integer>> brokersByPartition) throws Exception {
        NewTopic wanted = new NewTopic(topic, brokersByPartition)
                .configs(Map.of("unclean.leader.election.enable", "true", "min.insync.replicas", "1"));
        KAFKA.cluster().admin().createTopics(List.of(wanted)).all().get(20, TimeUnit.SECONDS);
        KAFKA.cluster().awaitInSync(topic);
    }

    private static void awaitLeader(TopicPartition partition, int broker) {
        ConsumerLedger.await("broker " + broker + " leads " + partition, SOON, () -> leader(partition) == broker);
    }

    private static int leader(TopicPartition partition) {
        try {
            var leader = KAFKA.cluster()
                    .admin()
                    .describeTopics(List.of(partition.topic()))
                    .allTopicNames()
                    .get(20, TimeUnit.SECONDS)
                    .get(partition.topic())
                    .partitions()
                    .get(partition.partition())
                    .leader();
            return leader == null ? -1 : leader.id();
        } catch (Exception e) {
            throw new AssertionError("no description of " + partition, e);
        }
    }
}
