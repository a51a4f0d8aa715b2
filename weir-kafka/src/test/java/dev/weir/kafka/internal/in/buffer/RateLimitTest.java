package dev.weir.kafka.internal.in.buffer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.internal.in.fetch.Fetched;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class RateLimitTest {

    private final SteppingClock clock = new SteppingClock();
    private final RateLimit rate = new RateLimit(clock);

    /** The batches of one partition. */
    private final ArrayDeque<Batch<Fetched>> queue = new ArrayDeque<>();

    private static Batch<Fetched> batch(int records) {
        return Batch.of(
                new Object[records],
                records,
                AckTarget.NONE,
                LongStream.range(0, records).toArray());
    }

    private void pass(Duration time) {
        clock.nanos += time.toNanos();
    }

    /** Adds a batch and takes from it. Returns the number of records taken; 0 if none may leave. */
    private int take(int records) {
        queue.clear();
        return rate.mayTake() ? rate.cut(batch(records), queue).size() : 0;
    }

    private Duration untilNext() {
        assertThat(rate.mayTake()).isFalse();
        return Duration.ofNanos(rate.nextNanos() - clock.nanos);
    }

    @Test
    void limit_thatIsNotSet_letsWholeBatchesOut() {
        Batch<Fetched> all = batch(1_000);
        assertThat(rate.mayTake()).isTrue();
        assertThat(rate.most()).isEqualTo(Integer.MAX_VALUE);
        assertThat(rate.cut(all, queue)).isSameAs(all);
        assertThat(queue).isEmpty();
        assertThat(rate.perSecond()).isZero();
    }

    @Test
    void batch_isCutAtTheLimit_andItsRestIsNext() {
        rate.set(100);
        assertThat(take(3)).isEqualTo(1);
        pass(Duration.ofSeconds(1));
        queue.clear();
        assertThat(rate.mayTake()).isTrue();
        assertThat(rate.most()).isEqualTo(5);
        Batch<Fetched> first = rate.cut(batch(8), queue);
        assertThat(first.size()).isEqualTo(5);
        assertThat(first.token(4)).isEqualTo(4);
        assertThat(queue).hasSize(1);
        assertThat(queue.element().size()).isEqualTo(3);
        assertThat(queue.element().token(0)).isEqualTo(5);
        assertThat(rate.mayTake()).isFalse();
    }

    @Test
    void smallBatches_leaveAsAWhole_untilTheLimitIsReached() {
        rate.set(100);
        pass(Duration.ofSeconds(1));
        assertThat(take(1)).isEqualTo(1);
        pass(Duration.ofMillis(50));
        assertThat(take(2)).isEqualTo(2);
        assertThat(queue).isEmpty();
        assertThat(take(3)).isEqualTo(3);
        assertThat(queue).isEmpty();
        assertThat(take(1)).isZero();
    }

    @Test
    void burst_isATwentiethOfASecond_afterAnyIdleTime() {
        rate.set(1_000);
        assertThat(take(1_000)).isEqualTo(1);
        pass(Duration.ofHours(1));
        assertThat(take(1_000)).isEqualTo(50);
        pass(Duration.ofMillis(10));
        assertThat(take(1_000)).isEqualTo(10);
        assertThat(take(1_000)).isZero();
    }

    @Test
    void slowRate_allowsSingleRecords() {
        rate.set(2);
        assertThat(take(10)).isEqualTo(1);
        assertThat(untilNext()).isEqualTo(Duration.ofMillis(500));
        pass(Duration.ofHours(1));
        assertThat(take(10)).isEqualTo(1);
        assertThat(take(10)).isZero();
    }

    @Test
    void next_isTheTimeOfTheNextWholeRecord() {
        rate.set(4);
        assertThat(take(1)).isEqualTo(1);
        assertThat(untilNext()).isEqualTo(Duration.ofMillis(250));
        pass(Duration.ofMillis(125));
        assertThat(untilNext()).isEqualTo(Duration.ofMillis(125));
        pass(Duration.ofMillis(124));
        assertThat(rate.mayTake()).isFalse();
        clock.nanos = rate.nextNanos();
        assertThat(rate.mayTake()).isTrue();
        assertThat(take(5)).isEqualTo(1);
    }

    @Test
    void batchWithASingleToken_leavesAsAWhole_andIsADebt() {
        rate.keepWhole();
        rate.set(10);
        assertThat(rate.mayTake()).isTrue();
        assertThat(rate.most()).isEqualTo(Integer.MAX_VALUE);
        assertThat(take(31)).isEqualTo(31);
        assertThat(queue).isEmpty();
        assertThat(untilNext()).isEqualTo(Duration.ofMillis(3_100));
        pass(Duration.ofSeconds(3));
        assertThat(take(1)).isZero();
        pass(Duration.ofMillis(100));
        assertThat(take(1)).isEqualTo(1);
    }

    // Regression: each call of a controller let another whole batch out, however low the rate.
    @Test
    void rate_thatIsSetAgain_keepsTheDebt() {
        rate.keepWhole();
        rate.set(10);
        assertThat(take(512)).isEqualTo(512);
        for (int i = 0; i < 5; i++) {
            pass(Duration.ofSeconds(1));
            rate.set(10);
            assertThat(take(512)).isZero();
        }
        rate.set(462);
        assertThat(untilNext()).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void rate_thatIsSetAgain_letsNoFurtherRecordOut() {
        rate.set(1);
        assertThat(take(1)).isEqualTo(1);
        pass(Duration.ofMillis(500));
        rate.set(1);
        assertThat(untilNext()).isEqualTo(Duration.ofMillis(500));
        rate.set(2);
        assertThat(untilNext()).isEqualTo(Duration.ofMillis(250));
    }

    @Test
    void rate_thatIsLowered_endsTheBurstOfTheEarlierOne() {
        rate.set(1_000);
        pass(Duration.ofSeconds(1));
        assertThat(take(2)).isEqualTo(2);
        rate.set(10);
        assertThat(take(10)).isEqualTo(1);
        assertThat(untilNext()).isEqualTo(Duration.ofMillis(100));
    }

    @Test
    void rate_thatWasOff_beginsWithoutADebt() {
        rate.keepWhole();
        rate.set(10);
        assertThat(take(512)).isEqualTo(512);
        rate.set(0);
        assertThat(take(512)).isEqualTo(512);
        pass(Duration.ofSeconds(1));
        rate.set(10);
        assertThat(take(3)).isEqualTo(3);
        assertThat(untilNext()).isEqualTo(Duration.ofMillis(300));
    }

    @Test
    void waitedTime_isTheTimeOfAllWaits() {
        assertThat(rate.waitedNanos()).isZero();
        rate.waits(false);
        SteppingClock.passRealTime();
        rate.waits(false);
        assertThat(rate.waitedNanos()).isZero();

        long outerStart = System.nanoTime();
        rate.waits(true);
        long innerStart = System.nanoTime();
        SteppingClock.passRealTime();
        assertThat(rate.waitedNanos()).isPositive();
        rate.waits(true);
        SteppingClock.passRealTime();
        long inner = System.nanoTime() - innerStart;
        rate.waits(false);
        long outer = System.nanoTime() - outerStart;
        long waited = rate.waitedNanos();
        assertThat(waited).isBetween(inner, outer);

        SteppingClock.passRealTime();
        assertThat(rate.waitedNanos()).isEqualTo(waited);
        rate.waits(true);
        SteppingClock.passRealTime();
        assertThat(rate.waitedNanos()).isGreaterThan(waited);
    }
}
