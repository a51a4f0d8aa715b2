package dev.weir.stream.internal.grouping;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TokenBucketTest {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    @Test
    void take_overALongTime_losesNothingByRounding() {
        TokenBucket bucket = new TokenBucket(3, SECOND, 1, 0);
        long now = 0;
        for (int n = 0; n <= 3_000_000; n++) {
            now += bucket.take(1, now);
        }
        // A third of a second is not a whole number of nanoseconds.
        assertThat(now).isEqualTo(1_000_000 * SECOND);
    }

    @Test
    void take_moreThanTheBurst_takesItsTimeAndLeavesNothing() {
        TokenBucket bucket = new TokenBucket(10, SECOND, 2, 0);
        assertThat(bucket.take(7, 0)).isEqualTo(SECOND / 2);
        assertThat(bucket.take(1, SECOND / 2)).isEqualTo(SECOND / 10);
    }

    @Test
    void bucket_afterAPauseOfAnyLength_holdsItsBurst() {
        TokenBucket bucket = new TokenBucket(1_000_000_000, SECOND, 5, 0);
        assertThat(bucket.take(5, 0)).isZero();
        long later = Long.MAX_VALUE / 2;
        assertThat(bucket.take(5, later)).isZero();
        assertThat(bucket.take(1, later)).isEqualTo(1);
    }

    @Test
    void giveBack_undoesATake() {
        TokenBucket bucket = new TokenBucket(1, SECOND, 1, 0);
        assertThat(bucket.take(1, 0)).isZero();
        assertThat(bucket.take(1, 0)).isEqualTo(SECOND);
        bucket.giveBack(1);
        assertThat(bucket.take(1, SECOND)).isZero();
    }

    @Test
    void bounds_thatCannotBeCounted_areRefused() {
        assertThat(TokenBucket.maxBurst(1, SECOND)).isEqualTo(Long.MAX_VALUE / 4 / SECOND);
        assertThat(TokenBucket.maxBurst(1, Long.MAX_VALUE)).isEqualTo(1);
        TokenBucket bucket = new TokenBucket(1, SECOND, 1, 0);
        assertThatThrownBy(() -> bucket.take(Long.MAX_VALUE, 0)).hasMessageContaining("centuries");
    }
}
