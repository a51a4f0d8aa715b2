package dev.weir.lean.share;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lean.share.ScriptedNetwork.ScriptedChannel;
import java.net.InetSocketAddress;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.FindCoordinatorResponseData.Coordinator;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.ShareGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ShareGroupHeartbeatResponseData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.junit.jupiter.api.Test;

class ShareMemberTest {

    private static final long MILLISECOND = 1_000_000;

    private final ScriptedNetwork network = new ScriptedNetwork();
    private final ScriptedReceiver receiver = new ScriptedReceiver();
    private final ShareMember member = new ShareMember(
            new ShareMember.Identity(
                    "member", "group", List.of("topic"), List.of(InetSocketAddress.createUnresolved("bootstrap", 9))),
            new ShareMember.Reading(true, 1_000_000),
            network,
            receiver);
    private final ScriptedChannel bootstrap = network.channel("bootstrap");
    private long now = 1_000 * MILLISECOND;

    private void turn(long millis) {
        now += millis * MILLISECOND;
        assertThat(member.turn(now)).isNotNegative();
    }

    private void coordinatorIs(String host) {
        FindCoordinatorResponseData answer = new FindCoordinatorResponseData();
        answer.coordinators().add(new Coordinator().setHost(host).setPort(1));
        bootstrap.receiver.answered(answer);
    }

    private static ShareGroupHeartbeatResponseData assignment() {
        return new ShareGroupHeartbeatResponseData()
                .setMemberEpoch(1)
                .setHeartbeatIntervalMs(500)
                .setAssignment(new ShareGroupHeartbeatResponseData.Assignment()
                        .setTopicPartitions(List.of(new ShareGroupHeartbeatResponseData.TopicPartitions()
                                .setTopicId(new Uuid(1, 2))
                                .setPartitions(List.of(0)))));
    }

    /** Starts to join. Returns the channel with the first heartbeat in flight. */
    private ScriptedChannel joining() {
        turn(0);
        coordinatorIs("one");
        turn(0);
        bootstrap.receiver.answered(new MetadataResponseData());
        ScriptedChannel coordinator = network.channel("coordinator");
        assertThat(coordinator.addresses.get()).containsExactly(InetSocketAddress.createUnresolved("one", 1));
        assertThat(coordinator.sent).hasSize(1);
        return coordinator;
    }

    @Test
    void coordinatorThatMoves_isSentTheHeartbeat_thoughOneIsUnderWayToTheFormer() {
        ScriptedChannel former = joining();
        former.receiver.lost("cut");
        turn(100);
        assertThat(bootstrap.last(FindCoordinatorRequestData.class).coordinatorKeys())
                .containsExactly("group");
        turn(100);
        assertThat(former.sent).as("to the one that is known").hasSize(2);
        coordinatorIs("two");
        turn(0);
        assertThat(former.dropped).isTrue();
        ScriptedChannel coordinator = network.channel("coordinator");
        assertThat(coordinator).isNotSameAs(former);
        assertThat(coordinator.addresses.get()).containsExactly(InetSocketAddress.createUnresolved("two", 1));
        turn(200);
        assertThat(coordinator.last(ShareGroupHeartbeatRequestData.class).memberEpoch())
                .isZero();
    }

    @Test
    void coordinatorThatStaysWhereItIs_keepsItsConnection() {
        ScriptedChannel coordinator = joining();
        coordinator.receiver.lost("cut");
        turn(100);
        coordinatorIs("one");
        turn(100);
        assertThat(network.channel("coordinator")).isSameAs(coordinator);
        assertThat(coordinator.dropped).isFalse();
        assertThat(coordinator.sent).hasSize(2);
    }

    @Test
    void memberWithoutACoordinator_hasLeft_andClosesItsConnections() {
        assertThat(member.hasLeft()).isTrue();
        ScriptedChannel coordinator = joining();
        assertThat(member.hasLeft()).isFalse();
        assertThat(member.isJoined()).isFalse();
        member.close();
        assertThat(coordinator.dropped).isTrue();
        assertThat(bootstrap.dropped).isTrue();
    }

    @Test
    void memberWithPartitions_isJoined_andHasNothingAcquiredYet() {
        ScriptedChannel coordinator = joining();
        coordinator.receiver.answered(assignment());
        assertThat(member.isJoined()).isFalse();
        turn(0);
        assertThat(member.isJoined()).isTrue();
        assertThat(member.open()).isZero();
        assertThat(member.openRecords()).isEmpty();
        assertThat(member.span()).isZero();
        assertThat(member.lockMillis()).isZero();
        assertThat(member.hasEnded()).isTrue();
        member.leave();
        turn(0);
        assertThat(coordinator.last(ShareGroupHeartbeatRequestData.class).memberEpoch())
                .isEqualTo(-1);
        assertThat(member.hasLeft()).isFalse();
        coordinator.receiver.answered(new ShareGroupHeartbeatResponseData().setMemberEpoch(-1));
        assertThat(member.hasLeft()).isTrue();
    }

    /** The coordinator's answer confirms the lookup, so the next lookup must not wait for long. */
    @Test
    void coordinatorThatAnswers_endsTheBackoffOfItsLookups() {
        ScriptedChannel coordinator = joining();
        for (int i = 0; i < 5; i++) {
            coordinator.receiver.lost("cut");
            assertThat(lookups(200)).isEqualTo(1);
            coordinatorIs("one");
            assertThat(lookups(0)).isZero();
        }
        coordinator.receiver.answered(
                new ShareGroupHeartbeatResponseData().setMemberEpoch(1).setHeartbeatIntervalMs(500));
        coordinator.receiver.lost("cut");
        assertThat(lookups(25)).as("the first wait is at most 24 ms").isEqualTo(1);
    }

    /** Takes a turn after this time. Returns the number of coordinator lookups. */
    private int lookups(long millis) {
        int sent = bootstrap.sent.size();
        turn(millis);
        List<ApiMessage> added = bootstrap.sent.subList(sent, bootstrap.sent.size());
        if (added.stream().anyMatch(MetadataRequestData.class::isInstance)) {
            bootstrap.receiver.answered(new MetadataResponseData());
        }
        return (int) added.stream()
                .filter(FindCoordinatorRequestData.class::isInstance)
                .count();
    }

    @Test
    void memberWithRecords_countsThem_andLosesThemWhenItCloses() {
        member.workers(3);
        member.plan(3, false, 1_000);
        turn(0);
        coordinatorIs("one");
        turn(0);
        bootstrap.receiver.answered(ShareSessionsTest.leaders(1, 2, 1));
        network.channel("coordinator").receiver.answered(assignment());
        turn(0);
        assertThat(bootstrap.renewed).as("the connection stays").isZero();
        ScriptedChannel broker = network.channel("broker 1");
        broker.receiver.answered(ShareSessionsTest.answer(0, 0, 3).setAcquisitionLockTimeoutMs(4_000));
        assertThat(member.turn(now)).isEqualTo(25 * MILLISECOND);
        assertThat(member.open()).isEqualTo(3);
        assertThat(member.openRecords()).hasSize(3);
        assertThat(member.span()).isEqualTo(3);
        assertThat(member.lockMillis()).isEqualTo(4_000);
        assertThat(member.batchRecords()).isEqualTo(3.0);

        assertThat(member.ended(receiver.acquired.getFirst()))
                .as("a credit is free again")
                .isTrue();
        turn(0);
        assertThat(member.open()).isEqualTo(2);
        member.close();
        assertThat(receiver.lost).containsExactly(1L, 2L);
        assertThat(broker.dropped).isTrue();
    }
}
