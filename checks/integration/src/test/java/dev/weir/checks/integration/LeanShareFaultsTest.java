package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.FetchPath;
import dev.weir.kafka.KafkaFlow;
import dev.weir.kafka.ShareGroupConfig;
import dev.weir.kafka.ShareHandle;
import dev.weir.kafka.ShareSettings;
import dev.weir.kafka.ShareSettings.Start;
import dev.weir.stream.Ordering;
import dev.weir.stream.RunningPipeline;
import dev.weir.testkit.FaultProxy;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.clients.admin.ShareGroupDescription;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.quota.ClientQuotaAlteration;
import org.apache.kafka.common.quota.ClientQuotaEntity;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Tests a share group member on the lean path that authenticates, is forgotten by brokers, and follows leaders. */
@Timeout(240)
class LeanShareFaultsTest {

    private static final Duration SOON = Duration.ofMinutes(2);

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder()
            .brokerConfig("group.share.min.session.timeout.ms", "1000")
            .brokerConfig("group.share.session.timeout.ms", "3000")
            .brokerConfig("group.share.min.heartbeat.interval.ms", "300")
            .brokerConfig("group.share.heartbeat.interval.ms", "300"));

    @TempDir
    Path folder;

    private static ShareSettings.Builder<byte[], byte[]> group(String bootstrapServers, String group) {
        return ShareSettings.builder()
                .bootstrapServers(bootstrapServers)
                .groupId(group)
                .fetch(FetchPath.LEAN)
                .startAt(Start.EARLIEST);
    }

    private static RunningPipeline member(ShareSettings<byte[], byte[]> settings, String topic, ConsumerLedger ledger) {
        return KafkaFlow.shared(settings, topic)
                .forEach(8, Ordering.unordered(), record -> {
                    ConsumerLedger.work(Duration.ofMillis(2));
                    ledger.handled(record);
                })
                .run();
    }

    private static ShareHandle handle(RunningPipeline running) {
        return running.handles(ShareHandle.class).getFirst();
    }

    private static ShareGroupDescription description(KafkaCluster cluster, String group) {
        try {
            return cluster.admin()
                    .describeShareGroups(List.of(group))
                    .describedGroups()
                    .get(group)
                    .get();
        } catch (Exception e) {
            throw new AssertionError("cannot describe " + group, e);
        }
    }

    @Test
    @Tag("long")
    void securedMember_readsWithItsCredentials() throws Exception {
        try (SecuredKafka secured = SecuredKafka.start(folder)) {
            secured.cluster().createTopic("secured", 2, Map.of("cleanup.policy", "delete"));
            Records.produce(secured.cluster().bootstrapServers(), "secured", 0, 1_000);
            ConsumerLedger ledger = new ConsumerLedger(1_000);
            var settings = group(secured.bootstrapServers(), "secured");
            secured.clientProperties(SecuredKafka.PASSWORD).forEach(settings::property);
            try (RunningPipeline running = member(settings.untilEnd().build(), "secured", ledger)) {
                assertThat(running.await().drained()).isTrue();
            }
            assertThat(ledger.lost()).isZero();
            assertThat(ledger.duplicates()).isZero();
        }
    }

    @Test
    void memberThatTheGroupHasForgotten_joinsAgain_andLosesNothing() throws Exception {
        KAFKA.cluster().createTopic("forgotten", 2);
        Records.produce(KAFKA.bootstrapServers(), "forgotten", 0, 500);
        ConsumerLedger ledger = new ConsumerLedger(1_000);
        try (FaultProxy network = FaultProxy.to(KAFKA.bootstrapServers());
                RunningPipeline running =
                        member(group(network.bootstrapServers(), "forgotten").build(), "forgotten", ledger)) {
            ledger.awaitSeen(500, SOON);
            assertThat(handle(running).health().ready()).isTrue();
            String id = memberId("forgotten");
            network.halfOpen();
            ConsumerLedger.await(
                    "forgotten",
                    SOON,
                    () -> description(KAFKA.cluster(), "forgotten").members().isEmpty());
            network.restore();
            Records.produce(KAFKA.bootstrapServers(), "forgotten", 500, 500);
            ledger.awaitSeen(1_000, SOON);
            // Leaders do not check whether the client is still a member.
            ConsumerLedger.await(
                    "joined again",
                    SOON,
                    () -> !description(KAFKA.cluster(), "forgotten").members().isEmpty());
            assertThat(memberId("forgotten")).isEqualTo(id);
            ConsumerLedger.await("ready", SOON, () -> handle(running).health().ready());
            assertThat(running.drain(SOON).drained()).isTrue();
        }
        assertThat(ledger.lost()).isZero();
    }

    private static String memberId(String group) {
        return description(KAFKA.cluster(), group).members().iterator().next().consumerId();
    }

    /**
     * A disconnect releases all locks of the member. Its records in progress are redelivered, perhaps to the same
     * member.
     */
    @Test
    void disconnect_whileHandlersRun_deliversTheirRecordsAgain() throws Exception {
        KAFKA.cluster().createTopic("cut", 2);
        Records.produce(KAFKA.bootstrapServers(), "cut", 0, 300);
        ConsumerLedger ledger = new ConsumerLedger(300);
        CountDownLatch begun = new CountDownLatch(8);
        CountDownLatch goOn = new CountDownLatch(1);
        try (FaultProxy network = FaultProxy.to(KAFKA.bootstrapServers());
                RunningPipeline running = KafkaFlow.shared(
                                group(network.bootstrapServers(), "cut").build(), "cut")
                        .forEach(8, Ordering.unordered(), record -> {
                            begun.countDown();
                            goOn.await();
                            ledger.handled(record);
                        })
                        .run()) {
            begun.await();
            network.cut();
            ConsumerLedger.await("lost", SOON, () -> handle(running).snapshot().lockExpired() >= 8);
            network.restore();
            goOn.countDown();
            ledger.awaitSeen(300, SOON);
            assertThat(running.drain(SOON).drained()).isTrue();
        }
        assertThat(ledger.lost()).isZero();
        // Only records of the eight running handlers can be duplicates.
        assertThat(ledger.duplicates()).isBetween(1, 8);
    }

    /** The connection stays open, so the member keeps its locks and partitions until they expire. */
    @Test
    void frozenMember_isTakenOverByAnother() throws Exception {
        KAFKA.cluster().createTopic("frozen", 2);
        KAFKA.cluster().createTopic("frozen-dead", 1);
        Records.produce(KAFKA.bootstrapServers(), "frozen", 0, 300);
        var settings = group(KAFKA.bootstrapServers(), "frozen").build();
        ShareGroupConfig.set(settings, Map.of("share.record.lock.duration.ms", "2000"));
        try (PipeProcess member = PipeProcess.startMain(
                "dev.weir.checks.integration.ShareMember",
                128,
                KAFKA.bootstrapServers(),
                "frozen",
                "frozen",
                "frozen-dead",
                "1",
                "1",
                "LEAN")) {
            assertThat(member.awaitOut()).isEqualTo("begun");
            member.signal("STOP");
            ConsumerLedger ledger = new ConsumerLedger(300);
            try (RunningPipeline running = member(settings, "frozen", ledger)) {
                ledger.awaitSeen(300, SOON);
                assertThat(running.drain(SOON).drained()).isTrue();
            }
            assertThat(ledger.lost()).isZero();
            assertThat(ledger.duplicates()).isZero();
            member.signal("CONT");
            member.kill();
        }
    }

    /**
     * Another client with the same id sends a request. The broker then discards the member's response, whose records
     * stay acquired.
     */
    @Test
    void epochThatSomebodyElseUsed_costsADelivery_andNoRecord() throws Exception {
        KAFKA.cluster().createTopic("trap", 1);
        Records.produce(KAFKA.bootstrapServers(), "trap", 0, 20);
        var settings =
                group(KAFKA.bootstrapServers(), "trap").memberName("trap").build();
        ShareGroupConfig.set(settings, Map.of("share.record.lock.duration.ms", "2000"));
        ConsumerLedger ledger = new ConsumerLedger(40);
        try (RunningPipeline running = member(settings, "trap", ledger)) {
            ledger.awaitSeen(20, SOON);
            ShareSaboteur.useUpAnEpoch(KAFKA.bootstrapServers(), "trap", memberId("trap"));
            Records.produce(KAFKA.bootstrapServers(), "trap", 20, 20);
            ledger.awaitSeen(40, SOON);
            assertThat(running.drain(SOON).drained()).isTrue();
        }
        assertThat(ledger.lost()).isZero();
        assertThat(ledger.duplicates()).isZero();
    }

    /**
     * The quota empties responses whose records are already acquired. The member requests fewer records until responses
     * contain some.
     */
    @Test
    void memberUnderAQuota_countsEmptiedAnswers_andLosesNothing() throws Exception {
        KAFKA.cluster().createTopic("quota", 1);
        for (int record = 0; record < 60; record++) {
            Records.produce(KAFKA.bootstrapServers(), "quota", record, 1); // One batch per record.
        }
        quota("quota", 100.0);
        var settings = group(KAFKA.bootstrapServers(), "quota").build();
        ShareGroupConfig.set(settings, Map.of("share.record.lock.duration.ms", "2000"));
        ConsumerLedger ledger = new ConsumerLedger(60);
        try (RunningPipeline running = member(settings, "quota", ledger)) {
            ConsumerLedger.await(
                    "emptied", SOON, () -> handle(running).snapshot().emptiedAnswers() > 0);
            quota("quota", null);
            ledger.awaitSeen(60, SOON);
            assertThat(running.drain(SOON).drained()).isTrue();
        }
        assertThat(ledger.lost()).isZero();
    }

    private static void quota(String group, @Nullable Double bytesPerSecond) throws Exception {
        var client = new ClientQuotaEntity(Map.of(ClientQuotaEntity.CLIENT_ID, "weir-" + group));
        KAFKA.cluster()
                .admin()
                .alterClientQuotas(List.of(new ClientQuotaAlteration(
                        client, List.of(new ClientQuotaAlteration.Op("consumer_byte_rate", bytesPerSecond)))))
                .all()
                .get();
    }

    /** The leadership moves away from a running broker. Then the coordinator stops. */
    @Test
    @Tag("long")
    void leaderAndCoordinator_thatMove_areFollowed_andNothingIsLost() throws Exception {
        try (KafkaCluster cluster = KafkaCluster.builder().brokers(3).start()) {
            cluster.createTopic("moving", Map.of(0, List.of(1, 2, 3), 1, List.of(1, 2, 3)));
            ConsumerLedger ledger = new ConsumerLedger(3_000);
            Records.produce(cluster.bootstrapServers(), "moving", 0, 1_000);
            try (RunningPipeline running =
                    member(group(cluster.bootstrapServers(), "moving").build(), "moving", ledger)) {
                ledger.awaitSeen(500, SOON);
                leadBy(cluster, new TopicPartition("moving", 0), List.of(2, 1, 3));
                Records.produce(cluster.bootstrapServers(), "moving", 1_000, 1_000);
                ledger.awaitSeen(2_000, SOON);
                cluster.broker(description(cluster, "moving").coordinator().id())
                        .stop();
                Records.produce(cluster.bootstrapServers(), "moving", 2_000, 1_000);
                ledger.awaitSeen(3_000, SOON);
                assertThat(running.drain(SOON).drained()).isTrue();
            }
            assertThat(ledger.lost()).isZero();
        }
    }

    private static void leadBy(KafkaCluster cluster, TopicPartition id, List<Integer> replicas) throws Exception {
        cluster.admin()
                .alterPartitionReassignments(Map.of(id, Optional.of(new NewPartitionReassignment(replicas))))
                .all()
                .get();
        ConsumerLedger.await("another leader", SOON, () -> isLedBy(cluster, id, replicas.getFirst()));
    }

    private static boolean isLedBy(KafkaCluster cluster, TopicPartition id, int broker) {
        try {
            var ignored = cluster.admin()
                    .electLeaders(ElectionType.PREFERRED, Set.of(id))
                    .partitions()
                    .get();
            Node leader = cluster.admin()
                    .describeTopics(List.of(id.topic()))
                    .allTopicNames()
                    .get()
                    .get(id.topic())
                    .partitions()
                    .get(id.partition())
                    .leader();
            return leader != null && leader.id() == broker; // There may be no leader for a moment.
        } catch (Exception e) {
            throw new AssertionError("cannot move " + id, e);
        }
    }
}
