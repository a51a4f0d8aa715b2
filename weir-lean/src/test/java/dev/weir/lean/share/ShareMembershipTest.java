package dev.weir.lean.share;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.message.ShareGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ShareGroupHeartbeatResponseData;
import org.apache.kafka.common.message.ShareGroupHeartbeatResponseData.Assignment;
import org.apache.kafka.common.message.ShareGroupHeartbeatResponseData.TopicPartitions;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ShareMembershipTest {

    private static final long SECOND = 1_000_000_000;
    private static final int GOODBYE = -1;

    private final ShareMembership membership = new ShareMembership(
            "member",
            "group",
            List.of("topic"),
            new SimulatedWork(new SimulatedGroup(new Random(1), 1, 1), new Random(1), 1));
    private long now;

    @BeforeEach
    void joins() {
        assertThat(beat().memberEpoch()).isZero();
        boolean ignored = membership.answered(
                answer(1)
                        .setAssignment(new Assignment()
                                .setTopicPartitions(List.of(new TopicPartitions()
                                        .setTopicId(new Uuid(1, 2))
                                        .setPartitions(List.of(0))))),
                now);
        assertThat(membership.isJoined()).isTrue();
    }

    private ShareGroupHeartbeatRequestData beat() {
        now += SECOND;
        assertThat(membership.isDue(now)).isTrue();
        return membership.next();
    }

    private static ShareGroupHeartbeatResponseData answer(int epoch) {
        return new ShareGroupHeartbeatResponseData().setMemberEpoch(epoch).setHeartbeatIntervalMs(500);
    }

    private static ShareGroupHeartbeatResponseData refusal(Errors error) {
        return new ShareGroupHeartbeatResponseData().setErrorCode(error.code());
    }

    @Test
    void topics_areSaidAgainAfterALostAnswer_untilThereIsOne() {
        assertThat(beat().subscribedTopicNames()).isNull();
        membership.lost("cut", now);
        assertThat(beat().subscribedTopicNames()).containsExactly("topic");
        membership.lost("cut", now);
        assertThat(beat().subscribedTopicNames()).containsExactly("topic");
        assertThat(membership.answered(answer(2), now)).isFalse();
        assertThat(beat().subscribedTopicNames()).isNull();
    }

    @ParameterizedTest
    @EnumSource(names = {"NOT_COORDINATOR", "COORDINATOR_NOT_AVAILABLE", "COORDINATOR_LOAD_IN_PROGRESS"})
    void topics_areSaidAgainAfterARefusal(Errors error) {
        assertThat(beat().memberEpoch()).isOne();
        boolean ignored = membership.answered(refusal(error), now);
        ShareGroupHeartbeatRequestData again = beat();
        assertThat(again.memberEpoch()).isOne();
        assertThat(again.subscribedTopicNames()).containsExactly("topic");
    }

    // The member's partitions must not wait for the end of its session.
    @ParameterizedTest
    @EnumSource(names = {"NOT_COORDINATOR", "COORDINATOR_LOAD_IN_PROGRESS", "NONE"})
    void goodbye_isSaidAfterAnAnswerToAnEarlierHeartbeat(Errors error) {
        assertThat(beat().memberEpoch()).isOne();
        membership.leave();
        assertThat(membership.isDue(now)).as("one request at a time").isFalse();
        boolean elsewhere = membership.answered(error == Errors.NONE ? answer(1) : refusal(error), now);
        assertThat(elsewhere).isEqualTo(error == Errors.NOT_COORDINATOR);
        assertThat(membership.isGone()).isFalse();
        assertThat(membership.isDue(now)).as("at once, unless it is elsewhere").isEqualTo(error == Errors.NONE);
        assertThat(beat().memberEpoch()).isEqualTo(GOODBYE);
        assertThat(membership.answered(answer(GOODBYE), now)).isFalse();
        assertThat(membership.isGone()).isTrue();
    }

    @Test
    void goodbye_isSaidAfterAConnectionThatBrokeUnderAnEarlierHeartbeat() {
        assertThat(beat().memberEpoch()).isOne();
        membership.leave();
        membership.lost("cut", now);
        assertThat(membership.isGone()).isFalse();
        assertThat(beat().memberEpoch()).isEqualTo(GOODBYE);
        membership.lost("cut", now);
        assertThat(membership.isGone()).as("it is said once").isTrue();
    }

    @Test
    void goodbye_toAGroupThatHasForgottenTheMember_isNotSaid() {
        assertThat(beat().memberEpoch()).isOne();
        membership.leave();
        assertThat(membership.answered(refusal(Errors.UNKNOWN_MEMBER_ID), now)).isFalse();
        assertThat(membership.isGone()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(names = {"UNKNOWN_MEMBER_ID", "NOT_COORDINATOR", "COORDINATOR_LOAD_IN_PROGRESS"})
    void goodbye_whichIsRefused_isNotSaidAgain(Errors error) {
        membership.leave();
        assertThat(membership.isDue(now)).as("before the next heartbeat is").isTrue();
        assertThat(beat().memberEpoch()).isEqualTo(GOODBYE);
        assertThat(membership.answered(refusal(error), now)).isFalse();
        assertThat(membership.isGone()).isTrue();
    }

    @Test
    void goodbye_ofOneWhoHasNotComeBackIn_isNotSaid() {
        assertThat(beat().memberEpoch()).isOne();
        assertThat(membership.answered(refusal(Errors.UNKNOWN_MEMBER_ID), now)).isFalse();
        membership.leave();
        assertThat(membership.isGone()).isTrue();
    }

    // ---- Heartbeats ------------------------------------------------------------------------------------------------

    private static Assignment assignment(Integer... partitions) {
        Assignment assignment = new Assignment();
        if (partitions.length > 0) {
            assignment
                    .topicPartitions()
                    .add(new TopicPartitions().setTopicId(new Uuid(1, 2)).setPartitions(List.of(partitions)));
        }
        return assignment;
    }

    @Test
    void heartbeat_isDueAtTheIntervalThatTheCoordinatorNames() {
        assertThat(membership.isDue(now + 500_000_000 - 1)).isFalse();
        assertThat(membership.isDue(now + 500_000_000)).isTrue();
        ShareGroupHeartbeatRequestData beat = beat();
        assertThat(beat.memberId()).isEqualTo("member");
        assertThat(beat.groupId()).isEqualTo("group");
        assertThat(membership.isDue(now + 9 * SECOND)).as("one at a time").isFalse();
        assertThat(membership.answered(answer(7).setHeartbeatIntervalMs(3_000), now))
                .isFalse();
        assertThat(membership.isDue(now + 3 * SECOND - 1)).isFalse();
        now += 2 * SECOND;
        assertThat(beat().memberEpoch()).isEqualTo(7);
    }

    @Test
    void partitions_areTheLastOnesThatWereTold() {
        assertThat(membership.assigned()).containsExactly(Map.entry(new Uuid(1, 2), Set.of(0)));
        assertThat(beat()).isNotNull();
        assertThat(membership.answered(answer(2), now)).isFalse();
        assertThat(membership.assigned()).as("nothing was told").hasSize(1);
        assertThat(beat()).isNotNull();
        assertThat(membership.answered(answer(3).setAssignment(assignment(1, 2)), now))
                .isFalse();
        assertThat(membership.assigned()).containsExactly(Map.entry(new Uuid(1, 2), Set.of(1, 2)));
        assertThat(beat()).isNotNull();
        assertThat(membership.answered(answer(4).setAssignment(assignment()), now))
                .isFalse();
        assertThat(membership.isJoined()).isFalse();
    }

    /** Groups reassign partitions at most once per second, and report them with the next heartbeat. */
    @Test
    void memberWithoutPartitions_asksSooner_aNumberOfTimes() {
        assertThat(beat()).isNotNull();
        assertThat(membership.answered(answer(2).setAssignment(assignment()).setHeartbeatIntervalMs(100), now))
                .isFalse();
        assertThat(membership.isDue(now + 100_000_000)).as("never later").isTrue();
        for (int early = 1; early < 20; early++) {
            assertThat(beat()).isNotNull();
            assertThat(membership.answered(answer(2), now)).isFalse();
            assertThat(membership.isDue(now + 300_000_000 - 1)).isFalse();
            assertThat(membership.isDue(now + 300_000_000)).isTrue();
        }
        assertThat(beat()).isNotNull();
        assertThat(membership.answered(answer(2), now)).isFalse();
        assertThat(membership.isDue(now + 500_000_000 - 1)).isFalse();
    }

    @ParameterizedTest
    @EnumSource(names = {"UNKNOWN_MEMBER_ID", "FENCED_MEMBER_EPOCH"})
    void memberThatTheGroupDoesNotKnow_joinsAgain_afterAPause(Errors error) {
        assertThat(beat().memberEpoch()).isOne();
        assertThat(membership.answered(refusal(error), now)).isFalse();
        assertThat(membership.isJoined()).isFalse();
        assertThat(membership.isDue(now + 200_000_000 - 1)).isFalse();
        assertThat(membership.isDue(now + 200_000_000)).isTrue();
        ShareGroupHeartbeatRequestData again = beat();
        assertThat(again.memberEpoch()).isZero();
        assertThat(again.subscribedTopicNames()).containsExactly("topic");
        assertThat(membership.answered(answer(9), now)).isFalse();
        assertThat(membership.isJoined()).as("with its partitions").isTrue();
    }

    @ParameterizedTest
    @EnumSource(names = {"NOT_COORDINATOR", "COORDINATOR_NOT_AVAILABLE", "COORDINATOR_LOAD_IN_PROGRESS"})
    void coordinatorThatCannotAnswer_isLeftIfItIsElsewhere_andAskedAgainAfterAPause(Errors error) {
        assertThat(beat()).isNotNull();
        assertThat(membership.answered(refusal(error), now)).isEqualTo(error != Errors.COORDINATOR_LOAD_IN_PROGRESS);
        assertThat(membership.isJoined()).isTrue();
        assertThat(membership.isDue(now + 200_000_000 - 1)).isFalse();
        assertThat(membership.isDue(now + 200_000_000)).isTrue();
        assertThat(beat()).isNotNull();
        membership.leave();
        assertThat(membership.answered(refusal(error), now)).isEqualTo(error != Errors.COORDINATOR_LOAD_IN_PROGRESS);
        assertThat(membership.isDue(now + 200_000_000 - 1)).isFalse();
        assertThat(membership.isDue(now + 200_000_000)).isTrue();
        assertThat(membership.isGone()).isFalse();
    }

    @Test
    void refusalThatNoWaitingCures_isFatal_andNothingMoreIsSaid() {
        ScriptedReceiver receiver = new ScriptedReceiver();
        ShareMembership forbidden = new ShareMembership("member", "group", List.of("topic"), receiver);
        assertThat(forbidden.isDue(0)).isTrue();
        assertThat(forbidden.next().subscribedTopicNames()).containsExactly("topic");
        assertThat(forbidden.answered(refusal(Errors.GROUP_AUTHORIZATION_FAILED).setErrorMessage("not yours"), 0))
                .isFalse();
        assertThat(receiver.fatal)
                .singleElement()
                .isInstanceOfSatisfying(
                        GroupAuthorizationException.class,
                        fault -> assertThat(fault).hasMessage("not yours"));
        assertThat(forbidden.isGone()).isTrue();
        assertThat(forbidden.isDue(9 * SECOND)).isFalse();
        forbidden.leave();
        assertThat(forbidden.isGone()).isTrue();
    }

    @Test
    void goodbye_ofOneWhoseJoiningIsUnderWay_isSaid() {
        ShareMembership joining = new ShareMembership("member", "group", List.of("topic"), new ScriptedReceiver());
        assertThat(joining.next().memberEpoch()).isZero();
        joining.leave();
        assertThat(joining.isGone()).as("the group may know it by now").isFalse();
        joining.lost("cut", 0);
        assertThat(joining.isDue(200_000_000 - 1)).isFalse();
        assertThat(joining.isDue(200_000_000)).isTrue();
        assertThat(joining.next().memberEpoch()).isEqualTo(GOODBYE);
    }
}
