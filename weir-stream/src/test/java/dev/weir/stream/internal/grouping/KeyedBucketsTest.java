package dev.weir.stream.internal.grouping;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class KeyedBucketsTest {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    /** Two permits per second, with a burst of four. An empty bucket is full again after two seconds. */
    private final KeyedBuckets buckets = new KeyedBuckets(new TokenBucket(2, SECOND, 4, 0));

    @Test
    void key_whoseBucketIsFullAgain_isForgotten() {
        assertThat(buckets.of("a", 0).take(4, 0)).isZero();
        buckets.forgetFull(2 * SECOND - 1);
        assertThat(buckets.size()).isOne();
        buckets.forgetFull(2 * SECOND);
        assertThat(buckets.size()).isZero();
    }

    @Test
    void millionKeys_oneElementEach_areNotRememberedTogether() {
        long now = 0;
        int most = 0;
        for (int key = 0; key < 1_000_000; key++) {
            buckets.forgetFull(now);
            assertThat(buckets.of(key, now).take(1, now)).isZero();
            most = Math.max(most, buckets.size());
            now += SECOND / 1000;
        }
        assertThat(most).as("of half a second").isEqualTo(500);
    }

    @Test
    void keyInDebt_thatIsTouchedAsItIsPaid_doesNotKeepOthers() {
        assertThat(buckets.of("hot", 0).take(104, 0)).isEqualTo(50 * SECOND);
        assertThat(buckets.of("a", 0).take(1, 0)).isZero();
        buckets.touch("hot");
        buckets.forgetFull(SECOND);
        assertThat(buckets.size()).isOne();
        buckets.forgetFull(52 * SECOND - 1);
        assertThat(buckets.size()).isOne();
        buckets.forgetFull(52 * SECOND);
        assertThat(buckets.size()).isZero();
    }
}
