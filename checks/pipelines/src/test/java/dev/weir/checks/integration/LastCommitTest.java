package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.checks.integration.GroupLoad.Protocol;
import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.ConsumerSnapshot;
import dev.weir.kafka.FetchPath;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.Subscription;
import dev.weir.stream.DrainReport;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests static members of a classic group that end during a rebalance. The rebalance waits for a member that has left.
 * Regression: the next members read finished records again.
 */
@Timeout(240)
class LastCommitTest {

    private static final Duration SOON = Duration.ofMinutes(1);
    private static final int RECORDS = 300;

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    @TempDir
    Path folder;

    /** A group whose rebalance waits for the session of a member that has left. */
    private static final class Group implements AutoCloseable {

        private final KafkaCluster cluster;
        private final Map<String, String> clients;
        private final String topic;
        private final Protocol protocol;
        private final FetchPath fetch;
        private final ConsumerLedger ledger = new ConsumerLedger(100 * RECORDS);
        private int produced;
        private final List<RunningPipeline> members = new ArrayList<>();
        private RunningPipeline one;
        private RunningPipeline two;
        private RunningPipeline late;

        Group(KafkaCluster cluster, Map<String, String> clients, String topic, Protocol protocol, FetchPath fetch) {
            this.cluster = cluster;
            this.clients = clients;
            this.topic = topic;
            this.protocol = protocol;
            this.fetch = fetch;
        }

        private ConsumerSettings.Builder<byte[], byte[]> settings() {
            ConsumerSettings.Builder<byte[], byte[]> settings = ConsumerLedger.settings(cluster, topic)
                    .fetch(fetch)
                    .property("session.timeout.ms", "300000")
                    .property("heartbeat.interval.ms", "300")
                    .property(
                            "partition.assignment.strategy",
                            (protocol == Protocol.EAGER ? RangeAssignor.class : CooperativeStickyAssignor.class)
                                    .getName());
            clients.forEach(settings::property);
            return settings;
        }

        RunningPipeline member(String instance) {
            RunningPipeline member = KafkaSource.from(
                            settings().property("group.instance.id", instance).build(), topic)
                    .atLeastOnce()
                    .to(Sink.forEach(ledger::handled))
                    .run();
            members.add(member);
            return member;
        }

        /** Returns when both members are in the rebalance and have uncommitted work. */
        void hangInARebalance() throws InterruptedException {
            cluster.createTopic(topic, 6);
            one = member("one");
            two = member("two");
            RunningPipeline gone = member("gone");
            ConsumerLedger.await(
                    "two each",
                    SOON,
                    () -> Stream.of(one, two, gone)
                            .allMatch(each -> snapshot(each).partitions().size() == 2));
            produce();
            ledger.awaitSeen(RECORDS, SOON);
            assertThat(gone.drain(SOON).drained()).isTrue();
            long failedOfOne = snapshot(one).failedCommits();
            long failedOfTwo = snapshot(two).failedCommits();
            late = member("late");
            // Members commit what they finish before they notice the rebalance.
            ConsumerLedger.await("the rebalance", SOON, () -> {
                if (produced < 99 * RECORDS) {
                    produce();
                }
                return isJoining(one, failedOfOne) && isJoining(two, failedOfTwo);
            });
        }

        private void produce() {
            Records.produce(cluster.bootstrapServers(), topic, produced, RECORDS);
            produced += RECORDS;
        }

        /**
         * Returns whether the member's client has stopped committing, or has given up all partitions (eager protocol).
         */
        private static boolean isJoining(RunningPipeline member, long failedBefore) {
            ConsumerSnapshot now = snapshot(member);
            return now.partitions().isEmpty() || now.failedCommits() > failedBefore;
        }

        private static ConsumerSnapshot snapshot(RunningPipeline member) {
            return member.handles(ConsumerHandle.class).getFirst().snapshot();
        }

        GroupState state() throws Exception {
            return cluster.admin()
                    .describeConsumerGroups(List.of(topic))
                    .describedGroups()
                    .get(topic)
                    .get()
                    .groupState();
        }

        /** Restarts the group without failing records, and checks that no committed record is read again. */
        void readTheRest() throws Exception {
            cluster.admin()
                    .removeMembersFromConsumerGroup(topic, new RemoveMembersFromConsumerGroupOptions())
                    .all()
                    .get();
            try (RunningPipeline rest = KafkaSource.from(
                            settings().build(), Subscription.topics(topic).untilEnd())
                    .atLeastOnce()
                    .to(Sink.forEach(ledger::handled))
                    .run()) {
                assertThat(rest.await().drained()).isTrue();
            }
            assertThat(ledger.seen()).isEqualTo(produced);
        }

        @Override
        public void close() {
            members.forEach(RunningPipeline::close);
        }
    }

    private static void endAtOnce(Group group) throws Exception {
        try (group) {
            group.hangInARebalance();
            List<CompletableFuture<DrainReport>> ends = Stream.of(group.one, group.two, group.late)
                    .map(member -> CompletableFuture.supplyAsync(() -> drain(member)))
                    .toList();
            assertThat(ends)
                    .allSatisfy(end -> assertThat(end.get().drained())
                            .as(() -> end.join().leftUndone().toString())
                            .isTrue());
            assertThat(group.state()).isEqualTo(GroupState.PREPARING_REBALANCE);
            group.readTheRest();
            assertThat(group.ledger.duplicates()).isZero();
        }
    }

    private static DrainReport drain(RunningPipeline member) {
        try {
            return member.drain(SOON);
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    /** Eager members have already committed everything and given up their partitions. */
    @ParameterizedTest
    @CsvSource("COOPERATIVE,LEAN")
    void membersThatEndAtOnce_whileTheGroupWaitsForAnother_leaveNothingUncommitted(Protocol protocol, FetchPath fetch)
            throws Exception {
        endAtOnce(new Group(KAFKA.cluster(), Map.of(), "last-" + protocol + "-" + fetch, protocol, fetch));
    }

    @ParameterizedTest
    @Tag("long")
    @CsvSource({"COOPERATIVE,CLIENT", "EAGER,CLIENT", "EAGER,LEAN"})
    void membersThatEndAtOnce_otherwise_leaveNothingUncommitted(Protocol protocol, FetchPath fetch) throws Exception {
        membersThatEndAtOnce_whileTheGroupWaitsForAnother_leaveNothingUncommitted(protocol, fetch);
    }

    @Test
    void membersOfASecuredCluster_commitWithTheirCredentials() throws Exception {
        try (SecuredKafka secured = SecuredKafka.start(folder)) {
            Map<String, String> clients = secured.clientProperties(SecuredKafka.PASSWORD);
            clients.put("bootstrap.servers", secured.bootstrapServers());
            endAtOnce(new Group(secured.cluster(), clients, "last-secured", Protocol.COOPERATIVE, FetchPath.CLIENT));
        }
    }

    /** Another process has taken the member's identity. The member finishes its records, but must not commit them. */
    @Test
    @Tag("long")
    void memberWhoseIdWasTakenOver_commitsNoMore() throws Exception {
        try (Group group =
                new Group(KAFKA.cluster(), Map.of(), "last-zombie", Protocol.COOPERATIVE, FetchPath.CLIENT)) {
            group.hangInARebalance();
            Map<TopicPartition, Long> before = KAFKA.cluster().committedOffsets("last-zombie");
            try (RunningPipeline twin = group.member("one")) {
                assertThatThrownBy(group.one::await).hasRootCauseInstanceOf(FencedInstanceIdException.class);
                assertThat(KAFKA.cluster().committedOffsets("last-zombie")).isEqualTo(before);
                assertThat(group.two.drain(SOON).drained()).isTrue();
                assertThat(KAFKA.cluster().committedOffsets("last-zombie")).isNotEqualTo(before);
                assertThat(twin.completion()).isNotDone();
            }
            group.late.close();
            group.readTheRest();
        }
    }
}
