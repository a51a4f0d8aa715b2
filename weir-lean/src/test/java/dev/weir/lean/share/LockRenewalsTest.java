package dev.weir.lean.share;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lean.share.AcquiredRange.Lock;
import dev.weir.lean.share.PendingAcknowledgements.Packet;
import dev.weir.lean.share.ScriptedReceiver.ScriptedRecord;
import java.util.List;
import java.util.stream.LongStream;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;

/** Offsets 10 to 13, acquired at time 0 for two seconds. */
class LockRenewalsTest {

    private static final long SECOND = 1_000_000_000;
    private static final long WINDOW = 1_000;
    private static final long ACQUIRED = 30;

    private final ScriptedReceiver receiver = new ScriptedReceiver();
    private final LockRenewals locks = new LockRenewals(receiver);
    private final AcquiredRanges acquired = new AcquiredRanges(new TopicIdPartition(new Uuid(1, 2), 0, "topic"));
    private final AcquiredRange range = new AcquiredRange(10, 13, new Lock(0, 2 * SECOND), ACQUIRED);
    private final List<ScriptedRecord> lockedRecords =
            LongStream.rangeClosed(10, 13).mapToObj(ScriptedRecord::at).toList();

    LockRenewalsTest() {
        lockedRecords.forEach(range::put);
        assertThat(acquired.add(range)).isEmpty();
    }

    private static AcknowledgementRange ack(long first, long last, byte type) {
        return new AcknowledgementRange(first, last, type, (int) (last - first + 1));
    }

    private void take() {
        lockedRecords.forEach(locked -> locked.taken = true);
    }

    private void end(int index, byte type, long nowNanos) {
        assertThat(range.end(lockedRecords.get(index), type, nowNanos)).isTrue();
    }

    private void attend(long nowNanos) {
        locks.attend(acquired, nowNanos, WINDOW, false);
    }

    @Test
    void recordsInHand_areRenewedAtHalfOfTheirLock_andThoseThatNobodyTookGoBack() {
        lockedRecords.get(0).taken = true;
        lockedRecords.get(3).taken = true;
        attend(SECOND - 1);
        assertThat(acquired.pending.hasRenewals()).isFalse();
        attend(SECOND);
        assertThat(receiver.wentBack).containsExactly(11L, 12L);
        assertThat(receiver.passedBy).isEqualTo(2);
        assertThat(acquired.pending.takeRenewals())
                .isEqualTo(new Packet(
                        List.of(ack(10, 10, AcknowledgementRange.RENEW), ack(13, 13, AcknowledgementRange.RENEW)),
                        true));
        attend(SECOND + 1);
        assertThat(acquired.pending.hasRenewals()).as("asked for once").isFalse();
    }

    /** A release would use up one of the record's last deliveries. */
    @Test
    void recordAtRisk_isRenewedInsteadOfGoingBack() {
        lockedRecords.forEach(locked -> locked.atRisk = true);
        attend(SECOND);
        assertThat(receiver.wentBack).isEmpty();
        assertThat(acquired.pending.takeRenewals())
                .isEqualTo(new Packet(List.of(ack(10, 13, AcknowledgementRange.RENEW)), true));
    }

    @Test
    void groupThatRenewsNoLocks_isAskedForNone() {
        receiver.renews = false;
        take();
        attend(SECOND);
        assertThat(acquired.pending.hasRenewals()).isFalse();
        assertThat(range.isRenewing()).as("not asked again").isTrue();
    }

    @Test
    void lockThatIsOver_losesWhatIsOpen_andNothingIsSaidOfIt() {
        take();
        acquired.pending.add(List.of(ack(10, 10, AcknowledgementRange.RELEASE)), 0);
        acquired.pending.addApart(List.of(ack(11, 13, AcknowledgementRange.RENEW)), true, 0);
        attend(2 * SECOND - 1);
        assertThat(receiver.lost).isEmpty();
        attend(2 * SECOND);
        assertThat(receiver.lost).containsExactly(10L, 11L, 12L, 13L);
        assertThat(acquired.isEmpty())
                .as("another member may have the lock by now")
                .isTrue();
    }

    @Test
    void renewedLock_standsForItsTimeFromTheRequestOn() {
        take();
        attend(SECOND);
        assertThat(acquired.pending.takeRenewals()).isNotNull();
        range.renewed(new Lock(SECOND, 4 * SECOND));
        assertThat(range.isRenewing()).isFalse();
        attend(5 * SECOND - 1);
        assertThat(receiver.lost).isEmpty();
        assertThat(acquired.pending.hasRenewals()).as("past half of it").isTrue();
        attend(5 * SECOND);
        assertThat(receiver.lost).hasSize(4);
    }

    @Test
    void renewalThatWasRefused_leavesTheLockFromBefore_andNoOtherIsAskedFor() {
        take();
        attend(SECOND);
        assertThat(acquired.pending.takeRenewals()).isNotNull();
        range.renewed(new Lock(SECOND, 2 * SECOND));
        attend(2 * SECOND);
        assertThat(acquired.pending.takeRenewals()).isNotNull();
        range.renewed(new Lock(2 * SECOND, 9 * SECOND));
        range.notRenewed();
        assertThat(range.lock()).isEqualTo(new Lock(SECOND, 2 * SECOND));
        range.renewed(new Lock(2 * SECOND, 9 * SECOND));
        assertThat(range.lock()).as("that of another part of it").isEqualTo(new Lock(SECOND, 2 * SECOND));
        assertThat(range.isRenewing()).isTrue();
    }

    // ---- Acknowledgements ------------------------------------------------------------------------------------------

    @Test
    void acknowledgements_waitAWhileForTheWholeRange() {
        take();
        end(1, AcknowledgementRange.ACCEPT, 100);
        attend(50_000_099);
        assertThat(acquired.pending.hasAcks()).isFalse();
        attend(50_000_100);
        assertThat(acquired.pending.take())
                .isEqualTo(new Packet(List.of(ack(11, 11, AcknowledgementRange.ACCEPT)), false));
        assertThat(receiver.finished).isZero();
    }

    @Test
    void wholeRange_isToldAtOnce() {
        take();
        for (int i = 0; i < 4; i++) {
            end(i, AcknowledgementRange.ACCEPT, 100);
        }
        attend(100);
        assertThat(receiver.finishedNanos).containsExactly(100 - ACQUIRED);
        assertThat(acquired.pending.take())
                .isEqualTo(new Packet(List.of(ack(10, 13, AcknowledgementRange.ACCEPT)), false));
        assertThat(receiver.finished).isEqualTo(1);
        assertThat(acquired.all()).isEmpty();
    }

    /** A late acknowledgement makes the broker refuse all acknowledgements of the partition in the same request. */
    @Test
    void acknowledgementsNearTheEndOfALock_goApart() {
        receiver.renews = false;
        take();
        end(0, AcknowledgementRange.ACCEPT, SECOND);
        attend(SECOND + 600_000_000);
        acquired.pending.add(List.of(ack(0, 0, AcknowledgementRange.ACCEPT)), 0);
        assertThat(acquired.pending.take())
                .isEqualTo(new Packet(List.of(ack(0, 0, AcknowledgementRange.ACCEPT)), false));
        assertThat(acquired.pending.take())
                .isEqualTo(new Packet(List.of(ack(10, 10, AcknowledgementRange.ACCEPT)), false));
    }

    /** The broker acquires no more records until the first record is acknowledged. */
    @Test
    void fullWindow_isMovedOnAtOnce() {
        take();
        end(0, AcknowledgementRange.ACCEPT, 100);
        locks.attend(acquired, 100, 4, false);
        assertThat(acquired.pending.isHurried()).isTrue();
        assertThat(acquired.pending.take())
                .isEqualTo(new Packet(List.of(ack(10, 10, AcknowledgementRange.ACCEPT)), false));
        end(2, AcknowledgementRange.ACCEPT, 100);
        locks.attend(acquired, 100, 3, false);
        assertThat(acquired.pending.hasAcks()).as("it is not the first one").isFalse();
    }

    // ---- The end ---------------------------------------------------------------------------------------------------

    @Test
    void atTheEnd_whatNobodyTookGoesBack_butForLastDeliveries() {
        lockedRecords.get(1).taken = true;
        lockedRecords.get(2).lastDelivery = true;
        locks.attend(acquired, 0, WINDOW, true);
        assertThat(receiver.wentBack).containsExactly(10L, 13L);
        assertThat(receiver.passedBy).isEqualTo(2);
        assertThat(acquired.pending.take())
                .isEqualTo(new Packet(
                        List.of(ack(10, 10, AcknowledgementRange.RELEASE), ack(13, 13, AcknowledgementRange.RELEASE)),
                        false));
        receiver.over = true;
        lockedRecords.get(2).offered = false;
        locks.attend(acquired, 0, WINDOW, true);
        assertThat(receiver.wentBack).as("not offered yet").hasSize(2);
        lockedRecords.get(2).offered = true;
        locks.attend(acquired, 0, WINDOW, true);
        assertThat(receiver.wentBack).containsExactly(10L, 13L, 12L);
    }

    @Test
    void whatIsGivenUp_goesBack_begunOrNot() {
        take();
        assertThat(locks.giveUp(acquired, 0)).isEqualTo(4);
        assertThat(receiver.wentBack).containsExactly(10L, 11L, 12L, 13L);
        assertThat(range.takeUnacknowledged()).containsExactly(ack(10, 13, AcknowledgementRange.RELEASE));
    }

    @Test
    void lockTime_isTheBrokers_orAGuessBeforeItIsKnown() {
        assertThat(locks.nanos()).isEqualTo(30 * SECOND);
        locks.millis(1_500);
        assertThat(locks.nanos()).isEqualTo(1_500_000_000);
        assertThat(locks.millis()).isEqualTo(1_500);
    }

    /** With nine tenths of the window acquired, the first finished record is acknowledged immediately. */
    @Test
    void windowOfWhichNineTenthsAreAcquired_isMovedOnAtOnce() {
        acquired.add(new AcquiredRange(14, 18, new Lock(0, 2 * SECOND), 0)).forEach(receiver::lost);
        take();
        end(0, AcknowledgementRange.ACCEPT, 100);
        locks.attend(acquired, 100, 11, false);
        assertThat(acquired.pending.isHurried()).as("nine of eleven").isFalse();
        locks.attend(acquired, 100, 10, false);
        assertThat(acquired.pending.isHurried()).as("nine of ten").isTrue();
        assertThat(acquired.pending.take()).isNotNull();
    }

    /** The broker may have granted the lock later than the member assumes. */
    @Test
    void releaseOfAFinishedRange_isKept_whenItsLockEnds() {
        take();
        end(0, AcknowledgementRange.RELEASE, 100);
        attend(SECOND - 1);
        assertThat(acquired.pending.hasAcks()).isTrue();
        for (int i = 1; i < 4; i++) {
            end(i, AcknowledgementRange.ACCEPT, 2 * SECOND);
        }
        attend(2 * SECOND);
        assertThat(receiver.lost).isEmpty();
        assertThat(acquired.pending.take())
                .isEqualTo(new Packet(List.of(ack(10, 10, AcknowledgementRange.RELEASE)), false));
        assertThat(acquired.pending.take())
                .isEqualTo(new Packet(List.of(ack(11, 13, AcknowledgementRange.ACCEPT)), false));
    }
}
