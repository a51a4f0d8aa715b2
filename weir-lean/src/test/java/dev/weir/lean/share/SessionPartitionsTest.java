package dev.weir.lean.share;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lean.share.AcquiredRange.Lock;
import dev.weir.lean.share.PendingAcknowledgements.Packet;
import dev.weir.lean.share.ScriptedReceiver.ScriptedRecord;
import dev.weir.lean.share.SessionPartitions.Changes;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;

class SessionPartitionsTest {

    private static final long MILLISECOND = 1_000_000;
    private static final Uuid TOPIC = new Uuid(1, 2);
    private static final TopicIdPartition ZERO = new TopicIdPartition(TOPIC, 0, "topic");
    private static final TopicIdPartition ONE = new TopicIdPartition(TOPIC, 1, "topic");
    private static final TopicIdPartition RECREATED = new TopicIdPartition(new Uuid(3, 4), 0, "topic");

    private final SessionPartitions partitions = new SessionPartitions();

    private AcquiredRanges of(TopicIdPartition id) {
        return Objects.requireNonNull(partitions.find(id.topicId(), id.partition()));
    }

    /** Acquires offsets of a partition. Returns their first record. */
    private ScriptedRecord acquire(TopicIdPartition id, long first, long last) {
        AcquiredRange range = new AcquiredRange(first, last, new Lock(0, 1_000), 0);
        ScriptedRecord locked = ScriptedRecord.at(first);
        range.put(locked);
        for (long offset = first + 1; offset <= last; offset++) {
            range.put(ScriptedRecord.at(offset));
        }
        assertThat(of(id).add(range)).isEmpty();
        return locked;
    }

    private static List<AcknowledgementRange> accepted(long offset) {
        return List.of(new AcknowledgementRange(offset, offset, AcknowledgementRange.ACCEPT, 1));
    }

    // ---- The list of a session -------------------------------------------------------------------------------------

    @Test
    void wantedPartitions_areListedOnce_andForgottenOnce() {
        partitions.want(List.of(ZERO, ONE));
        assertThat(partitions.wanted()).isEqualTo(2);
        assertThat(partitions.list(List.of())).isEqualTo(new Changes(List.of(ZERO, ONE), List.of()));
        assertThat(partitions.list(List.of())).isEqualTo(new Changes(List.of(), List.of()));

        partitions.want(List.of(ONE, RECREATED));
        assertThat(partitions.list(List.of())).isEqualTo(new Changes(List.of(RECREATED), List.of(ZERO)));
        assertThat(partitions.list(List.of())).isEqualTo(new Changes(List.of(), List.of()));

        partitions.unlist();
        assertThat(partitions.list(List.of()))
                .as("a new session has no list")
                .isEqualTo(new Changes(List.of(ONE, RECREATED), List.of()));
        partitions.wantNoMore(ONE);
        partitions.wantNoMore(RECREATED);
        assertThat(partitions.areWanted()).isFalse();
        assertThat(partitions.list(List.of()).forgotten()).containsExactlyInAnyOrder(ONE, RECREATED);
    }

    @Test
    void partitionThatIsNoLongerWanted_isForgottenOnceNothingOfItIsLeft() {
        partitions.want(List.of(ZERO, ONE));
        ScriptedRecord locked = acquire(ZERO, 5, 5);
        partitions.want(List.of(ONE));
        partitions.forgetOver();
        assertThat(partitions.acquired()).extracting(each -> each.id).containsExactly(ZERO, ONE);

        assertThat(partitions.end(locked, AcknowledgementRange.ACCEPT, 0)).isTrue();
        of(ZERO).pending.add(of(ZERO).all().getFirst().takeUnacknowledged(), 0);
        of(ZERO).removeOver();
        partitions.forgetOver();
        assertThat(partitions.acquired()).as("one is to be told").hasSize(2);
        assertThat(partitions.areQuiet()).isFalse();

        assertThat(partitions.takeAcks(false)).hasSize(1);
        partitions.forgetOver();
        assertThat(partitions.acquired())
                .as("a wanted one stays, though nothing of it is acquired")
                .extracting(each -> each.id)
                .containsExactly(ONE);
        assertThat(partitions.areQuiet()).isTrue();
        assertThat(partitions.find(TOPIC, 0)).isNull();
    }

    @Test
    void partition_isFoundByTheIdOfItsTopicAndItsNumber() {
        partitions.want(List.of(ZERO, ONE, RECREATED));
        assertThat(of(ZERO).id).isEqualTo(ZERO);
        assertThat(of(ONE).id).isEqualTo(ONE);
        assertThat(of(RECREATED).id).isEqualTo(RECREATED);
        assertThat(partitions.find(RECREATED.topicId(), 1)).isNull();
    }

    /** A recreated topic has the same offsets as the former topic. */
    @Test
    void endOfARecord_isThatOfTheTopicThatItWasAcquiredFrom() {
        partitions.want(List.of(ZERO, ONE, RECREATED));
        ScriptedRecord former = acquire(ZERO, 5, 6);
        ScriptedRecord current = acquire(RECREATED, 5, 5);
        assertThat(partitions.open()).isEqualTo(3);

        assertThat(partitions.end(current, AcknowledgementRange.ACCEPT, 0)).isTrue();
        assertThat(of(RECREATED).open()).isZero();
        assertThat(of(ZERO).open()).isEqualTo(2);
        assertThat(partitions.end(current, AcknowledgementRange.ACCEPT, 0))
                .as("it has ended")
                .isFalse();
        assertThat(partitions.end(former, AcknowledgementRange.ACCEPT, 0)).isTrue();
        assertThat(partitions.open()).isEqualTo(1);
    }

    // ---- Turns -----------------------------------------------------------------------------------------------------

    private static List<TopicIdPartition> numbered(int... numbers) {
        return Arrays.stream(numbers)
                .mapToObj(each -> new TopicIdPartition(TOPIC, each, "topic"))
                .toList();
    }

    @Test
    void partitionWhoseTurnHasEnded_isLeftOut_untilFourHaveWaitedLonger() {
        List<TopicIdPartition> six = numbered(0, 1, 2, 3, 4, 5);
        partitions.want(six);
        partitions.list(List.of());
        assertThat(partitions.areTakingTurns()).isFalse();
        partitions.endTurn(six.get(0));
        assertThat(partitions.list(List.of())).isEqualTo(new Changes(List.of(), numbered(0)));
        assertThat(partitions.areTakingTurns()).isTrue();
        partitions.endTurn(six.get(1));
        assertThat(partitions.list(List.of())).isEqualTo(new Changes(List.of(), numbered(1)));
        partitions.endTurn(six.get(2));
        assertThat(partitions.list(List.of())).isEqualTo(new Changes(numbered(0), numbered(2)));
        partitions.endTurns();
        assertThat(partitions.list(List.of())).isEqualTo(new Changes(numbered(1, 2), List.of()));
        assertThat(partitions.areTakingTurns()).isFalse();
    }

    @Test
    void partitionThatHasTwoTurnsInARow_waitsFromTheSecondOne() {
        List<TopicIdPartition> six = numbered(0, 1, 2, 3, 4, 5);
        partitions.want(six);
        six.subList(0, 2).forEach(partitions::endTurn);
        partitions.endTurn(six.get(0));
        partitions.endTurn(six.get(2));
        assertThat(partitions.list(List.of()).added()).isEqualTo(numbered(1, 3, 4, 5));
    }

    /** A broker lists each partition whose acknowledgements it receives. */
    @Test
    void acknowledgementsOfAPartitionThatWaits_doNotListIt() {
        partitions.want(numbered(0, 1, 2, 3, 4));
        partitions.list(List.of());
        partitions.endTurn(ZERO);
        assertThat(partitions.list(List.of(of(ZERO), of(ONE)))).isEqualTo(new Changes(List.of(), numbered(0)));
        assertThat(partitions.list(List.of(of(ZERO), of(ONE))))
                .as("next fetch")
                .isEqualTo(new Changes(List.of(), numbered(0)));
    }

    @Test
    void fourPartitions_takeNoTurns() {
        partitions.want(numbered(0, 1, 2, 3));
        partitions.list(List.of());
        partitions.endTurn(ZERO);
        assertThat(partitions.list(List.of())).isEqualTo(new Changes(List.of(), List.of()));
    }

    @Test
    void turnOfAPartitionThatIsNoLongerWanted_isForgotten() {
        partitions.want(numbered(0, 1, 2, 3, 4, 5));
        partitions.endTurn(ZERO);
        partitions.endTurn(ONE);
        partitions.wantNoMore(ONE);
        partitions.endTurn(ONE);
        partitions.want(numbered(0, 1, 2, 3, 4, 5));
        assertThat(partitions.list(List.of()).added()).isEqualTo(numbered(1, 2, 3, 4, 5));
        partitions.want(numbered(1, 2, 3, 4, 5));
        partitions.want(numbered(0, 1, 2, 3, 4, 5));
        assertThat(partitions.list(List.of()).added()).isEqualTo(numbered(0));
    }

    @Test
    void newSession_listsAllPartitions() {
        partitions.want(numbered(0, 1, 2, 3, 4));
        partitions.list(List.of());
        partitions.endTurn(ZERO);
        partitions.unlist();
        assertThat(partitions.list(List.of()).added()).isEqualTo(numbered(0, 1, 2, 3, 4));
    }

    @Test
    void sessionThatTakesTurns_isFull_onceAllPartitionsAre() {
        partitions.want(numbered(0, 1, 2, 3, 4));
        partitions.list(List.of());
        numbered(0, 1, 2, 3, 4).forEach(each -> acquire(each, 0, 9));
        partitions.endTurn(ZERO);
        partitions.list(List.of());
        assertThat(partitions.areFull(9)).isTrue();
        partitions.want(numbered(0, 1, 2, 3, 4, 5));
        assertThat(partitions.areFull(9)).isFalse();
    }

    // ---- The window of locks ---------------------------------------------------------------------------------------

    @Test
    void session_isFull_onceEachListedPartitionHasAcquiredItsWindow() {
        assertThat(partitions.areFull(0)).as("nothing is wanted").isFalse();
        partitions.want(List.of(ZERO, ONE));
        acquire(ZERO, 0, 9);
        acquire(ONE, 0, 8);
        assertThat(partitions.areFull(9)).as("the broker does not list them").isFalse();
        assertThat(partitions.list(List.of()).added()).hasSize(2);
        assertThat(partitions.areFull(9)).isTrue();
        assertThat(partitions.areFull(10)).as("one of them may acquire more").isFalse();
        partitions.want(List.of(ZERO));
        assertThat(partitions.areFull(10)).isTrue();
        assertThat(partitions.areFull(11)).isFalse();
    }

    // ---- Acknowledgements ------------------------------------------------------------------------------------------

    @Test
    void acknowledgements_areDueAfterAWhile_atOnceForAFlush_andSoonerWhereRoomWaitsForThem() {
        partitions.want(List.of(ZERO, ONE));
        assertThat(partitions.haveDueAcks(0, true, false)).isFalse();
        assertThat(partitions.haveAcks()).isFalse();
        of(ONE).pending.add(accepted(3), 7);
        assertThat(partitions.haveAcks()).isTrue();
        assertThat(partitions.haveDueAcks(7 + 50 * MILLISECOND - 1, false, false))
                .isFalse();
        assertThat(partitions.haveDueAcks(7 + 50 * MILLISECOND, false, false)).isTrue();
        assertThat(partitions.haveDueAcks(7, true, false)).isTrue();

        of(ONE).pending.hurry();
        assertThat(partitions.haveDueAcks(7 + 5 * MILLISECOND - 1, false, false))
                .isFalse();
        assertThat(partitions.haveDueAcks(7 + 5 * MILLISECOND, false, false)).isTrue();
    }

    @Test
    void acknowledgementsOfPartitionsThatAreNotFetched_areDueByThemselves() {
        partitions.want(List.of(ZERO, ONE));
        of(ONE).pending.add(accepted(3), 0);
        assertThat(partitions.haveDueAcks(0, true, true)).isFalse();
        partitions.want(List.of(ZERO));
        assertThat(partitions.haveDueAcks(0, true, true)).isTrue();
        assertThat(partitions.haveDueAcks(0, false, true)).as("too young").isFalse();
    }

    @Test
    void acknowledgements_areTakenOfWantedPartitionsOnly_ifAFetchTakesThemAlong() {
        partitions.want(List.of(ZERO, ONE));
        of(ZERO).pending.add(accepted(1), 0);
        of(ONE).pending.add(accepted(3), 0);
        AcquiredRanges zero = of(ZERO);
        partitions.want(List.of(ONE));
        assertThat(partitions.takeAcks(true)).containsOnlyKeys(of(ONE));
        assertThat(partitions.takeAcks(true)).isEmpty();
        assertThat(partitions.takeAcks(false)).containsEntry(zero, new Packet(accepted(1), false));
        assertThat(partitions.haveAcks()).isFalse();
    }

    @Test
    void renewals_areTakenApartFromAcknowledgements() {
        partitions.want(List.of(ZERO, ONE));
        assertThat(partitions.haveRenewals()).isFalse();
        assertThat(partitions.takeRenewals()).isEmpty();
        List<AcknowledgementRange> renewal = List.of(new AcknowledgementRange(4, 4, AcknowledgementRange.RENEW, 1));
        of(ONE).pending.addApart(renewal, true, 0);
        of(ONE).pending.add(accepted(3), 0);
        assertThat(partitions.haveRenewals()).isTrue();
        assertThat(partitions.takeRenewals())
                .containsOnlyKeys(of(ONE))
                .containsEntry(of(ONE), new Packet(renewal, true));
        assertThat(partitions.haveRenewals()).isFalse();
        assertThat(partitions.haveAcks()).isTrue();
    }
}
