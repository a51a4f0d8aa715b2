package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.ConsumerSnapshot.PartitionSnapshot;
import dev.weir.stream.RunningPipeline;
import dev.weir.testkit.KafkaClusterExtension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.NewPartitions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests a group that grows and shrinks under load, and a topic that gets more partitions. */
class RebalanceScaleTest {

    private static final int RECORDS = 100_000;
    private static final Duration SOON = Duration.ofSeconds(40);

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(GroupLoad.quickGroups());

    @ParameterizedTest
    @EnumSource(names = "EAGER")
    void oneToFourToTwo_underLoad_losesAndRepeatsNothing(GroupLoad.Protocol protocol) throws Exception {
        String topic = "scale-" + protocol;
        KAFKA.cluster().createTopic(topic, 8);
        ConsumerLedger ledger = new ConsumerLedger(RECORDS);
        var settings = GroupLoad.settings(KAFKA.cluster(), protocol, topic);
        List<RunningPipeline> members = new ArrayList<>();
        try {
            members.add(GroupLoad.member(settings, topic, ledger));
            CompletableFuture<Void> load = GroupLoad.produce(KAFKA.bootstrapServers(), topic, RECORDS);
            ledger.awaitSeen(RECORDS / 8, SOON);
            while (members.size() < 4) {
                members.add(GroupLoad.member(settings, topic, ledger));
            }
            awaitShares(members, 2, 2, 2, 2);
            ledger.awaitSeen(ledger.seen() + 1_000, SOON);
            while (members.size() > 2) {
                assertThat(members.remove(1).drain(Duration.ofSeconds(20)).leftUndone())
                        .isEmpty();
            }
            awaitShares(members, 4, 4);
            load.join();
            ledger.awaitSeen(RECORDS, SOON);
        } finally {
            members.forEach(RunningPipeline::close);
        }
        assertThat(ledger.duplicates()).as("duplicated").isZero();
        assertThat(KAFKA.cluster().committedOffsets(topic))
                .isEqualTo(KAFKA.cluster().endOffsets(topic));
    }

    @ParameterizedTest
    @Tag("long")
    @EnumSource(names = {"COOPERATIVE", "CONSUMER"})
    void oneToFourToTwo_onOtherProtocols_losesAndRepeatsNothing(GroupLoad.Protocol protocol) throws Exception {
        oneToFourToTwo_underLoad_losesAndRepeatsNothing(protocol);
    }

    @ParameterizedTest
    @EnumSource(names = "CONSUMER")
    void partitionsAdded_underLoad_areTakenUpAndNothingIsLost(GroupLoad.Protocol protocol) throws Exception {
        String topic = "grows-" + protocol;
        KAFKA.cluster().createTopic(topic, 2);
        int records = RECORDS / 2;
        ConsumerLedger ledger = new ConsumerLedger(records);
        var settings = GroupLoad.settings(KAFKA.cluster(), protocol, topic);
        List<RunningPipeline> members = new ArrayList<>();
        try {
            members.add(GroupLoad.member(settings, topic, ledger));
            members.add(GroupLoad.member(settings, topic, ledger));
            CompletableFuture<Void> load = GroupLoad.produce(KAFKA.bootstrapServers(), topic, records);
            ledger.awaitSeen(records / 8, SOON);
            KAFKA.cluster()
                    .admin()
                    .createPartitions(Map.of(topic, NewPartitions.increaseTo(6)))
                    .all()
                    .get();
            awaitShares(members, 3, 3);
            load.join();
            ledger.awaitSeen(records, SOON);
        } finally {
            members.forEach(RunningPipeline::close);
        }
        assertThat(ledger.duplicates()).as("duplicated").isZero();
        assertThat(KAFKA.cluster().endOffsets(topic))
                .as("the producer uses the new partitions")
                .hasSize(6)
                .allSatisfy((id, end) -> assertThat(end).isPositive());
        assertThat(KAFKA.cluster().committedOffsets(topic))
                .isEqualTo(KAFKA.cluster().endOffsets(topic));
    }

    @ParameterizedTest
    @Tag("long")
    @EnumSource(names = {"EAGER", "COOPERATIVE"})
    void partitionsAdded_onOtherProtocols_areTakenUpAndNothingIsLost(GroupLoad.Protocol protocol) throws Exception {
        partitionsAdded_underLoad_areTakenUpAndNothingIsLost(protocol);
    }

    private static void awaitShares(List<RunningPipeline> members, Integer... shares) {
        ConsumerLedger.await(
                "shares " + List.of(shares),
                SOON,
                () -> List.of(shares)
                        .equals(members.stream()
                                .map(member -> (int) partitions(member).count())
                                .toList()));
    }

    private static Stream<PartitionSnapshot> partitions(RunningPipeline member) {
        return member.handles(ConsumerHandle.class).stream().flatMap(handle -> handle.snapshot().partitions().stream());
    }
}
