package dev.weir.lean.share;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.lean.share.AcquiredRange.Lock;
import dev.weir.lean.share.PendingAcknowledgements.Packet;
import dev.weir.lean.share.ScriptedReceiver.ScriptedRecord;
import dev.weir.lean.spi.InvariantException;
import java.util.List;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;

class AcquiredRangesTest {

    private static final Lock LOCK = new Lock(0, 2_000_000_000);

    private final AcquiredRanges acquired = new AcquiredRanges(new TopicIdPartition(new Uuid(1, 2), 0, "topic"));

    private static AcknowledgementRange ack(long first, long last, byte type) {
        return new AcknowledgementRange(first, last, type, (int) (last - first + 1));
    }

    // COORDINATOR_NOT_AVAILABLE may last longer than a lock. Each such response puts pending acknowledgements back into
    // the queue.
    @Test
    void rangeThatIsLentAgain_takesWhatWasMeantForItsLastLockOutOfTheOutbox() {
        acquired.pending.add(
                List.of(
                        ack(0, 4, AcknowledgementRange.RELEASE),
                        ack(5, 9, AcknowledgementRange.ACCEPT),
                        ack(10, 14, AcknowledgementRange.RELEASE)),
                0);
        acquired.pending.putBack(new Packet(
                List.of(ack(6, 12, AcknowledgementRange.RELEASE), ack(20, 20, AcknowledgementRange.REJECT)), false));
        acquired.pending.putBack(new Packet(List.of(ack(8, 8, AcknowledgementRange.RELEASE)), false));
        acquired.pending.putBack(new Packet(List.of(ack(2, 30, AcknowledgementRange.RENEW)), true));
        assertThat(acquired.add(new AcquiredRange(3, 10, LOCK, 0))).isEmpty();
        assertThat(acquired.pending.take())
                .isEqualTo(new Packet(
                        List.of(
                                ack(0, 2, AcknowledgementRange.RELEASE),
                                ack(5, 9, AcknowledgementRange.ACCEPT),
                                ack(11, 14, AcknowledgementRange.RELEASE)),
                        false));
        assertThat(acquired.pending.take())
                .isEqualTo(new Packet(
                        List.of(ack(11, 12, AcknowledgementRange.RELEASE), ack(20, 20, AcknowledgementRange.REJECT)),
                        false));
        assertThat(acquired.pending.take()).isNull();
        assertThat(acquired.pending.takeRenewals())
                .isEqualTo(new Packet(
                        List.of(ack(2, 2, AcknowledgementRange.RENEW), ack(11, 30, AcknowledgementRange.RENEW)), true));
        assertThat(acquired.pending.takeRenewals()).isNull();
    }

    @Test
    void rangeBesideThem_leavesTheOutboxAlone() {
        acquired.pending.add(List.of(ack(0, 4, AcknowledgementRange.RELEASE)), 0);
        acquired.pending.addApart(List.of(ack(9, 9, AcknowledgementRange.RENEW)), true, 0);
        assertThat(acquired.add(new AcquiredRange(5, 8, LOCK, 0))).isEmpty();
        assertThat(acquired.pending.take())
                .isEqualTo(new Packet(List.of(ack(0, 4, AcknowledgementRange.RELEASE)), false));
        assertThat(acquired.pending.takeRenewals())
                .isEqualTo(new Packet(List.of(ack(9, 9, AcknowledgementRange.RENEW)), true));
    }

    private AcquiredRange acquire(long first, long last) {
        AcquiredRange range = new AcquiredRange(first, last, LOCK, 0);
        for (long offset = first; offset <= last; offset++) {
            range.put(ScriptedRecord.at(offset));
        }
        return range;
    }

    /** The old locks on offsets acquired again have ended. Neighbouring offsets remain acquired. */
    @Test
    void rangeThatIsLentAgain_losesItsOpenRecords_andNoneBesideThem() {
        assertThat(acquired.add(acquire(0, 9))).isEmpty();
        assertThat(acquired.add(acquire(20, 22))).isEmpty();
        assertThat(acquired.add(acquire(4, 6))).extracting(LockedRecord::offset).containsExactly(4L, 5L, 6L);
        assertThat(acquired.all()).extracting(range -> range.first).containsExactly(0L, 4L, 7L, 20L);
        assertThat(acquired.all()).extracting(range -> range.last).containsExactly(3L, 6L, 9L, 22L);
        assertThat(acquired.open()).isEqualTo(13);
        assertThat(acquired.add(acquire(8, 21)))
                .extracting(LockedRecord::offset)
                .containsExactly(8L, 9L, 20L, 21L);
        assertThat(acquired.all()).extracting(range -> range.first).containsExactly(0L, 4L, 7L, 8L, 22L);
    }

    @Test
    void rangesOfSomeOffsets_areFound() {
        assertThat(acquired.add(acquire(2, 4))).isEmpty();
        assertThat(acquired.add(acquire(5, 6))).isEmpty();
        assertThat(acquired.add(acquire(9, 9))).isEmpty();
        assertThat(acquired.touching(4, 5)).extracting(range -> range.first).containsExactly(2L, 5L);
        assertThat(acquired.touching(7, 8)).isEmpty();
        assertThat(acquired.touching(7, 9)).extracting(range -> range.first).containsExactly(9L);
        assertThat(acquired.touching(0, 2)).extracting(range -> range.first).containsExactly(2L);
        assertThat(acquired.find(1)).isNull();
        assertThat(acquired.find(7)).isNull();
        assertThat(acquired.find(6)).isSameAs(acquired.all().get(1));
    }

    @Test
    void span_isFromTheFirstOpenOffsetToTheLastAcquired() {
        assertThat(acquired.span()).isZero();
        assertThat(acquired.unacknowledgedSpan()).isZero();
        AcquiredRange first = acquire(2, 4);
        assertThat(acquired.add(first)).isEmpty();
        assertThat(acquired.add(acquire(8, 9))).isEmpty();
        assertThat(acquired.span()).isEqualTo(8);
        assertThat(acquired.unacknowledgedSpan()).isEqualTo(8);
        assertThat(first.endIf(locked -> locked.offset() < 4, AcknowledgementRange.ACCEPT, 0))
                .isEqualTo(2);
        assertThat(acquired.span()).isEqualTo(6);
        assertThat(acquired.unacknowledgedSpan())
                .as("the broker does not know it")
                .isEqualTo(8);
        assertThat(first.takeUnacknowledged()).hasSize(1);
        assertThat(acquired.unacknowledgedSpan()).isEqualTo(6);
        assertThat(first.endIf(locked -> true, AcknowledgementRange.ACCEPT, 0)).isEqualTo(1);
        assertThat(acquired.span()).as("nothing of the first is open").isEqualTo(2);
        assertThat(first.takeUnacknowledged()).hasSize(1);
        acquired.removeOver();
        assertThat(acquired.all()).hasSize(1);
        assertThat(acquired.span()).isEqualTo(2);
        assertThat(acquired.isEmpty()).isFalse();
        assertThat(acquired.loseAll()).extracting(LockedRecord::offset).containsExactly(8L, 9L);
        assertThat(acquired.isEmpty()).isTrue();
        assertThat(acquired.add(acquire(3, 3))).isEmpty();
        assertThat(acquired.span()).as("locks from before do not count").isEqualTo(1);
    }

    // ---- Invariants ------------------------------------------------------------------------------------------------

    @Test
    void rangeBesideOneThatHasItsOffsets_violatesAnInvariant() {
        assertThat(acquired.add(new AcquiredRange(3, 10, LOCK, 0))).isEmpty();
        assertThat(acquired.add(new AcquiredRange(11, 20, LOCK, 0)))
                .as("behind it")
                .isEmpty();
        assertThat(acquired.add(new AcquiredRange(0, 2, LOCK, 0)))
                .as("before it")
                .isEmpty();
        acquired.checkApart(new AcquiredRange(21, 30, LOCK, 0));
        for (AcquiredRange range : List.of(
                new AcquiredRange(10, 10, LOCK, 0),
                new AcquiredRange(0, 40, LOCK, 0),
                new AcquiredRange(20, 25, LOCK, 0))) {
            assertThatExceptionOfType(InvariantException.class)
                    .isThrownBy(() -> acquired.checkApart(range))
                    .withMessageContaining("invariant 57 does not hold: the acquired ranges of a partition do not")
                    .withMessageContaining("topic-0@" + range.first + ".." + range.last + " beside ");
        }
        assertThat(acquired.all()).hasSize(3);
    }
}
