package dev.weir.kafka.internal.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.internal.session.LentRange.Lock;
import org.junit.jupiter.api.Test;

class LentRangeTest {

    private static final Lock LOCK = new Lock(0, 2_000_000_000);

    private static Ack ack(long first, long last, byte type, int records) {
        return new Ack(first, last, type, records);
    }

    /** A record that was not sent may exist: acknowledged as a gap, it would never be delivered. */
    @Test
    void offsetsThatWereNotSent_areReleased_andGapsBeforeThemStayGaps() {
        LentRange range = new LentRange(10, 19, LOCK, 0);
        range.notSentFrom(14);
        assertThat(range.takeUntold()).containsExactly(ack(10, 13, Ack.GAP, 0), ack(14, 19, Ack.RELEASE, 6));
        assertThat(range.isOver()).isTrue();
    }

    @Test
    void rangeOfWhichNothingWasSent_isReleasedWhole() {
        LentRange range = new LentRange(10, 12, LOCK, 0);
        range.notSentFrom(7);
        assertThat(range.takeUntold()).containsExactly(ack(10, 12, Ack.RELEASE, 3));
    }

    @Test
    void rangeOfWhichAllWasSent_keepsItsLastOffset() {
        LentRange range = new LentRange(10, 12, LOCK, 0);
        range.notSentFrom(13);
        assertThat(range.takeUntold()).containsExactly(ack(10, 12, Ack.GAP, 0));
    }

    @Test
    void partOfRange_keepsWhatWasNotSentReleased() {
        LentRange range = new LentRange(10, 19, LOCK, 0);
        range.notSentFrom(15);
        assertThat(range.part(13, 16).takeUntold())
                .containsExactly(ack(13, 14, Ack.GAP, 0), ack(15, 16, Ack.RELEASE, 2));
    }

    @Test
    void untoldOffsets_areToldOnce() {
        LentRange range = new LentRange(0, 4, LOCK, 0);
        range.notSentFrom(3);
        assertThat(range.firstUntold()).isZero();
        assertThat(range.takeUntold()).hasSize(2);
        assertThat(range.hasUntold()).isFalse();
        assertThat(range.firstUntold()).isEqualTo(5);
        assertThat(range.takeUntold()).isEmpty();
    }
}
