package dev.weir.bench.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ClockEstimateTest {
    private static final long MICRO = TimeUnit.MICROSECONDS.toNanos(1);
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    /** The clock of another machine. The network's delays differ between the two directions. */
    private static final class Simulated {
        private final SplittableRandom random;
        private final long apartNanos; // initial offset between the clocks
        private final double drift;
        private long nowNanos = SECOND;

        Simulated(long seed, long apartNanos, double drift) {
            this.random = new SplittableRandom(seed);
            this.apartNanos = apartNanos;
            this.drift = drift;
        }

        long theirs() {
            return theirs(nowNanos);
        }

        long theirs(long nanos) {
            return nanos - apartNanos + (long) (drift * nanos);
        }

        void look(ClockEstimate estimate, int exchanges) {
            for (int i = 0; i < exchanges; i++) {
                long asked = nowNanos;
                nowNanos += way(300 * MICRO);
                long theirs = theirs();
                nowNanos += way(50 * MICRO);
                estimate.exchanged(asked, theirs, nowNanos);
            }
            assertThat(estimate.looked()).isTrue();
        }

        private long way(long mean) {
            return 20 * MICRO + (long) (-Math.log1p(-random.nextDouble()) * mean);
        }

        long trueOffset() {
            return nowNanos - theirs();
        }
    }

    @Test
    void offset_isWithinTheStatedBound_ofClocksThatDrift_overUnevenWays() {
        for (long seed = 0; seed < 1_000; seed++) {
            double drift = (seed % 9 - 4) * 20e-6;
            Simulated world = new Simulated(seed, (seed - 500) * SECOND, drift);
            ClockEstimate estimate = new ClockEstimate();
            world.look(estimate, 32);
            for (int look = 0; look < 50; look++) {
                world.nowNanos += 2 * SECOND;
                long before = estimate.offsetNanos();
                long wrongBefore = Math.abs(before - world.trueOffset());
                long errorBefore = estimate.errorNanos(world.nowNanos);
                world.look(estimate, 4);
                assertThat(Math.abs(estimate.offsetNanos() - world.trueOffset()))
                        .as("seed %d, look %d", seed, look)
                        .isLessThanOrEqualTo(estimate.errorNanos(world.nowNanos));
                assertThat(wrongBefore).as("until then").isLessThanOrEqualTo(errorBefore);
            }
            assertThat(estimate.errorNanos(world.nowNanos)).isLessThan(3 * MILLI);
            assertThat(estimate.wasSet()).isFalse();
        }
    }

    /** Events of another machine keep their order, and the times between them are correct within the error bound. */
    @Test
    void eventsRecordedThere_comeOutWithinTheStatedBound() {
        for (long seed = 0; seed < 200; seed++) {
            Simulated world = new Simulated(seed, 250 * MILLI * (seed % 2 == 0 ? 1 : -1), 0);
            ClockEstimate estimate = new ClockEstimate();
            world.look(estimate, 32);
            long[] wrong = new long[100];
            long[] events = new long[wrong.length];
            for (int i = 0; i < events.length; i++) {
                events[i] = world.nowNanos + world.random.nextLong(SECOND);
                long merged = world.theirs(events[i]) + estimate.offsetNanos();
                wrong[i] = Math.abs(merged - events[i]);
            }
            assertThat(Arrays.stream(wrong).max().orElseThrow())
                    .isLessThanOrEqualTo(estimate.errorNanos(world.nowNanos + SECOND));
            assertThat(estimate.errorNanos(world.nowNanos)).isLessThan(2 * MILLI);
        }
    }

    @Test
    void clockThatWasSetMeanwhile_isFollowed_andTheErrorSaysSo() {
        Simulated world = new Simulated(1, 0, 0);
        ClockEstimate estimate = new ClockEstimate();
        world.look(estimate, 32);
        Simulated later = new Simulated(2, 40 * MILLI, 0);
        later.nowNanos = world.nowNanos + 2 * SECOND;
        later.look(estimate, 4);
        assertThat(Math.abs(estimate.offsetNanos() - later.trueOffset())).isLessThan(2 * MILLI);
        assertThat(estimate.errorNanos(later.nowNanos)).isGreaterThanOrEqualTo(38 * MILLI);
        assertThat(estimate.wasSet()).isTrue();
        estimate.restart(later.nowNanos);
        assertThat(estimate.errorNanos(later.nowNanos)).isLessThan(2 * MILLI);
        assertThat(estimate.wasSet()).isFalse();
    }

    /** A garbage collection delays both ends of an exchange. This uncertain reading must not replace a better one. */
    @Test
    void lessCertainLook_replacesNone() {
        ClockEstimate estimate = new ClockEstimate();
        estimate.exchanged(0, 500, 1_000);
        assertThat(estimate.looked()).isTrue();
        estimate.exchanged(SECOND, SECOND + 30 * MILLI, SECOND + 40 * MILLI);
        assertThat(estimate.looked()).isTrue();
        assertThat(estimate.offsetNanos()).isZero();
        assertThat(estimate.errorNanos(SECOND)).isBetween(500L, MILLI);
        assertThat(estimate.wasSet()).isFalse();
    }

    @Test
    void lookWithoutAnswers_changesNothing() {
        ClockEstimate estimate = new ClockEstimate();
        assertThat(estimate.looked()).isFalse();
        estimate.exchanged(0, 7, 10);
        assertThat(estimate.looked()).isTrue();
        assertThat(estimate.looked()).isFalse();
        assertThat(estimate.offsetNanos()).isEqualTo(-2);
    }
}
