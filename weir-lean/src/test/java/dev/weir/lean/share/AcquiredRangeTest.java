package dev.weir.lean.share;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.lean.share.AcquiredRange.Lock;
import dev.weir.lean.share.ScriptedReceiver.ScriptedRecord;
import dev.weir.lean.spi.InvariantException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class AcquiredRangeTest {

    private static final Lock LOCK = new Lock(0, 2_000_000_000);

    private static AcknowledgementRange ack(long first, long last, byte type, int records) {
        return new AcknowledgementRange(first, last, type, records);
    }

    /** Offsets that were not sent may have records, unlike gaps. */
    @Test
    void offsetsThatWereNotSent_areReleased_andGapsBeforeThemStayGaps() {
        AcquiredRange range = new AcquiredRange(10, 19, LOCK, 0);
        range.notSentFrom(14);
        assertThat(range.takeUnacknowledged())
                .containsExactly(
                        ack(10, 13, AcknowledgementRange.GAP, 0), ack(14, 19, AcknowledgementRange.RELEASE, 6));
        assertThat(range.isOver()).isTrue();
    }

    @Test
    void rangeOfWhichNothingWasSent_isReleasedWhole() {
        AcquiredRange range = new AcquiredRange(10, 12, LOCK, 0);
        range.notSentFrom(7);
        assertThat(range.takeUnacknowledged()).containsExactly(ack(10, 12, AcknowledgementRange.RELEASE, 3));
    }

    @Test
    void rangeOfWhichAllWasSent_keepsItsLastOffset() {
        AcquiredRange range = new AcquiredRange(10, 12, LOCK, 0);
        range.notSentFrom(13);
        assertThat(range.takeUnacknowledged()).containsExactly(ack(10, 12, AcknowledgementRange.GAP, 0));
    }

    @Test
    void partOfRange_keepsWhatWasNotSentReleased() {
        AcquiredRange range = new AcquiredRange(10, 19, LOCK, 0);
        range.notSentFrom(15);
        assertThat(range.part(13, 16).takeUnacknowledged())
                .containsExactly(
                        ack(13, 14, AcknowledgementRange.GAP, 0), ack(15, 16, AcknowledgementRange.RELEASE, 2));
    }

    @Test
    void untoldOffsets_areToldOnce() {
        AcquiredRange range = new AcquiredRange(0, 4, LOCK, 0);
        range.notSentFrom(3);
        assertThat(range.firstUnacknowledged()).isZero();
        assertThat(range.takeUnacknowledged()).hasSize(2);
        assertThat(range.hasUnacknowledged()).isFalse();
        assertThat(range.firstUnacknowledged()).isEqualTo(5);
        assertThat(range.takeUnacknowledged()).isEmpty();
    }

    // ---- Records ---------------------------------------------------------------------------------------------------

    private static ScriptedRecord put(AcquiredRange range, long offset) {
        ScriptedRecord locked = ScriptedRecord.at(offset);
        range.put(locked);
        return locked;
    }

    @Test
    void acceptedRecords_withGapsBetweenThem_areToldAsOneStretch_andNothingElseIs() {
        AcquiredRange range = new AcquiredRange(0, 6, LOCK, 0);
        ScriptedRecord first = put(range, 1);
        ScriptedRecord second = put(range, 3);
        ScriptedRecord third = put(range, 4);
        assertThat(range.open()).isEqualTo(3);
        assertThat(range.end(first, AcknowledgementRange.ACCEPT, 0)).isTrue();
        assertThat(range.end(second, AcknowledgementRange.ACCEPT, 0)).isTrue();
        assertThat(range.end(third, AcknowledgementRange.REJECT, 0)).isTrue();
        assertThat(range.end(third, AcknowledgementRange.ACCEPT, 0))
                .as("it has ended")
                .isFalse();
        assertThat(range.takeUnacknowledged())
                .containsExactly(
                        ack(0, 3, AcknowledgementRange.ACCEPT, 2),
                        ack(4, 4, AcknowledgementRange.REJECT, 1),
                        ack(5, 6, AcknowledgementRange.GAP, 0));
        assertThat(range.isOver()).isTrue();
    }

    @Test
    void recordThatIsOpen_dividesWhatIsTold() {
        AcquiredRange range = new AcquiredRange(0, 2, LOCK, 0);
        ScriptedRecord first = put(range, 0);
        ScriptedRecord second = put(range, 1);
        ScriptedRecord third = put(range, 2);
        assertThat(range.end(first, AcknowledgementRange.ACCEPT, 0)).isTrue();
        assertThat(range.end(third, AcknowledgementRange.RELEASE, 0)).isTrue();
        assertThat(range.firstOpen()).isEqualTo(1);
        assertThat(range.takeUnacknowledged())
                .containsExactly(ack(0, 0, AcknowledgementRange.ACCEPT, 1), ack(2, 2, AcknowledgementRange.RELEASE, 1));
        assertThat(range.firstUnacknowledged()).isEqualTo(1);
        assertThat(range.isOver()).isFalse();
        assertThat(range.end(second, AcknowledgementRange.ACCEPT, 0)).isTrue();
        assertThat(range.firstOpen()).isEqualTo(3);
        assertThat(range.takeUnacknowledged()).containsExactly(ack(1, 1, AcknowledgementRange.ACCEPT, 1));
    }

    /** The end of an earlier delivery must not acknowledge the current delivery. */
    @Test
    void loanOfAnEarlierDelivery_endsNothing() {
        AcquiredRange range = new AcquiredRange(0, 0, LOCK, 0);
        ScriptedRecord now = put(range, 0);
        assertThat(range.end(ScriptedRecord.at(0), AcknowledgementRange.ACCEPT, 0))
                .isFalse();
        assertThat(range.open()).isEqualTo(1);
        assertThat(range.end(now, AcknowledgementRange.ACCEPT, 0)).isTrue();
    }

    @Test
    void whatIsLost_isNotTold() {
        AcquiredRange range = new AcquiredRange(0, 4, LOCK, 0);
        ScriptedRecord first = put(range, 0);
        ScriptedRecord second = put(range, 2);
        ScriptedRecord third = put(range, 4);
        assertThat(range.loseOpen(1, 3)).containsExactly(second);
        assertThat(range.open()).isEqualTo(2);
        assertThat(range.loseOpen()).containsExactly(first, third);
        assertThat(range.open()).isZero();
        assertThat(range.takeUnacknowledged())
                .containsExactly(ack(1, 1, AcknowledgementRange.GAP, 0), ack(3, 3, AcknowledgementRange.GAP, 0));
        assertThat(range.end(second, AcknowledgementRange.ACCEPT, 0)).isFalse();
        assertThat(range.isOver()).isTrue();
    }

    @Test
    void rejectedOffsets_areThoseOfTheRange() {
        AcquiredRange range = new AcquiredRange(10, 14, LOCK, 0);
        range.reject(8, 11);
        range.reject(14, 20);
        assertThat(range.takeUnacknowledged())
                .containsExactly(
                        ack(10, 11, AcknowledgementRange.REJECT, 2),
                        ack(12, 13, AcknowledgementRange.GAP, 0),
                        ack(14, 14, AcknowledgementRange.REJECT, 1));
    }

    @Test
    void renewals_areOfWhatIsOpen() {
        AcquiredRange range = new AcquiredRange(0, 5, LOCK, 0);
        ScriptedRecord done = put(range, 1);
        put(range, 0);
        put(range, 2);
        put(range, 3);
        put(range, 5);
        assertThat(range.end(done, AcknowledgementRange.ACCEPT, 0)).isTrue();
        assertThat(range.takeRenewals())
                .containsExactly(
                        ack(0, 0, AcknowledgementRange.RENEW, 1),
                        ack(2, 3, AcknowledgementRange.RENEW, 2),
                        ack(5, 5, AcknowledgementRange.RENEW, 1));
        assertThat(range.isRenewing()).isTrue();
        assertThat(range.loseOpen()).hasSize(4);
        assertThat(range.takeRenewals()).isEmpty();
        assertThat(range.isRenewing()).isFalse();
    }

    @Test
    void part_keepsOpenRecordsLocksAndRenewals() {
        AcquiredRange range = new AcquiredRange(0, 5, new Lock(1, 2), 9);
        ScriptedRecord kept = put(range, 3);
        put(range, 1);
        ScriptedRecord done = put(range, 4);
        assertThat(range.end(done, AcknowledgementRange.ACCEPT, 30)).isTrue();
        assertThat(range.takeRenewals()).hasSize(2);
        range.renewed(new Lock(3, 4));
        assertThat(range.takeRenewals()).hasSize(2);
        AcquiredRange part = range.part(3, 4);
        assertThat(part.open()).isEqualTo(1);
        assertThat(part.acquiredNanos).isEqualTo(9);
        assertThat(part.lock()).isEqualTo(new Lock(3, 4));
        assertThat(part.isRenewing()).isTrue();
        assertThat(part.takeUnacknowledged()).containsExactly(ack(4, 4, AcknowledgementRange.ACCEPT, 1));
        assertThat(part.end(kept, AcknowledgementRange.ACCEPT, 40)).isTrue();
        assertThat(part.knownSinceNanos()).isEqualTo(40);
        assertThat(part.takeUnacknowledged()).containsExactly(ack(3, 3, AcknowledgementRange.ACCEPT, 1));
        part.notRenewed();
        assertThat(part.lock()).isEqualTo(new Lock(3, 4));
        part.renewed(new Lock(5, 6));
        assertThat(part.lock()).as("a refusal is for good").isEqualTo(new Lock(3, 4));
        assertThat(part.part(3, 3).isRenewing()).isTrue();
    }

    @Test
    void knownSince_isTheTimeOfTheFirstThatIsNotTold() {
        AcquiredRange range = new AcquiredRange(0, 1, LOCK, 5);
        ScriptedRecord first = put(range, 0);
        ScriptedRecord second = put(range, 1);
        assertThat(range.hasUnacknowledged()).isFalse();
        assertThat(range.end(second, AcknowledgementRange.ACCEPT, 20)).isTrue();
        assertThat(range.hasUnacknowledged()).isTrue();
        assertThat(range.endIf(locked -> locked == first, AcknowledgementRange.RELEASE, 30))
                .isEqualTo(1);
        assertThat(range.knownSinceNanos()).isEqualTo(20);
        assertThat(range.takeUnacknowledged())
                .containsExactly(ack(0, 0, AcknowledgementRange.RELEASE, 1), ack(1, 1, AcknowledgementRange.ACCEPT, 1));
    }

    @Test
    void openLoans_areHandedOutInOrder() {
        AcquiredRange range = new AcquiredRange(0, 3, LOCK, 0);
        ScriptedRecord first = put(range, 0);
        ScriptedRecord last = put(range, 3);
        List<LockedRecord> all = new ArrayList<>();
        range.addOpenTo(all);
        assertThat(all).containsExactly(first, last);
        assertThat(range.endIf(locked -> false, AcknowledgementRange.RELEASE, 0))
                .isZero();
        assertThat(range.open()).isEqualTo(2);
    }

    // ---- Invariants ------------------------------------------------------------------------------------------------

    /** A predicate passed to endIf must not end the record itself. */
    @Test
    void recordThatEndsWhileItIsEnded_violatesAnInvariant() {
        AcquiredRange range = new AcquiredRange(5, 7, LOCK, 0);
        ScriptedRecord locked = put(range, 6);
        assertThatExceptionOfType(InvariantException.class)
                .isThrownBy(() -> range.endIf(
                        each -> range.end(each, AcknowledgementRange.ACCEPT, 0), AcknowledgementRange.RELEASE, 0))
                .withMessageContaining("invariant 31 does not hold: each acquired record ends in exactly one way")
                .withMessageContaining("offset=6 of 5..7");
        assertThat(range.takeUnacknowledged()).containsExactly(ack(5, 7, AcknowledgementRange.ACCEPT, 1));
        assertThat(range.end(locked, AcknowledgementRange.RELEASE, 0)).isFalse();
    }

    @Test
    void partWhoseRenewalIsRefused_hasTheLockFromBefore() {
        AcquiredRange range = new AcquiredRange(0, 5, new Lock(1, 2), 9);
        put(range, 3);
        assertThat(range.takeRenewals()).hasSize(1);
        range.renewed(new Lock(3, 4));
        AcquiredRange part = range.part(2, 3);
        part.notRenewed();
        assertThat(part.lock()).isEqualTo(new Lock(1, 2));
    }

    /** Forgotten gaps keep their locks at the broker. */
    @Test
    void part_knowsWhetherAnythingIsLeftToAcknowledge() {
        AcquiredRange range = new AcquiredRange(0, 5, LOCK, 0);
        put(range, 4);
        put(range, 5);
        AcquiredRange gaps = range.part(0, 3);
        assertThat(gaps.hasUnacknowledged()).isTrue();
        assertThat(gaps.isOver()).isFalse();
        assertThat(gaps.takeUnacknowledged()).containsExactly(ack(0, 3, AcknowledgementRange.GAP, 0));
        assertThat(gaps.isOver()).isTrue();
        AcquiredRange records = range.part(4, 5);
        assertThat(records.hasUnacknowledged()).isFalse();
        assertThat(records.takeUnacknowledged()).isEmpty();
    }
}
