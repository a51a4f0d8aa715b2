package dev.weir.bench.statistics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class WarmUpTest {

    private static final long RECORDS = 800_000; // in an interval of 100 ms

    private final WarmUp warmUp = new WarmUp();
    private final Random random = new Random(1);

    /**
     * Measured for a client's loop on two cores. The rate was steady after one second, but the compiler ran until the
     * fourth.
     */
    @Test
    void isOver_compilerStillAtWork_waitsThoughTheRateIsSteady() {
        run(10, 300, 100);
        run(20, 230, 100);
        assertThat(warmUp.isOver())
                .as("the rate has been steady for two seconds")
                .isFalse();
        run(5, 110, 0);
        assertThat(warmUp.isOver())
                .as("half of what is looked at is before the end")
                .isFalse();
        run(6, 110, 1);
        assertThat(warmUp.isOver()).isTrue();
    }

    @Test
    void isOver_costStillFalling_waitsWhereTheCompilerSaysNothing() {
        for (int i = 0; i < 30; i++) {
            run(1, 300 - 5 * i, -1);
        }
        assertThat(warmUp.isOver()).isFalse();
        run(12, 150, -1);
        assertThat(warmUp.isOver()).isTrue();
    }

    @Test
    void driftsFrom_costThatFellWhileMeasured_isSaidToDrift() {
        run(10, 110, 0);
        int from = warmUp.size();
        assertThat(from).isEqualTo(10);
        run(15, 110, 0);
        assertThat(warmUp.driftsFrom(from)).isFalse();
        for (int i = 0; i < 15; i++) {
            run(1, 110 - 3 * i, 0);
        }
        assertThat(warmUp.driftsFrom(from)).isTrue();
    }

    @Test
    void isCompiling_aTenthOfTheProcessorTime_isTooMuch() {
        assertThat(WarmUp.isCompiling(90, 1_000_000_000)).isFalse();
        assertThat(WarmUp.isCompiling(100, 1_000_000_000)).isFalse();
        assertThat(WarmUp.isCompiling(101, 1_000_000_000)).isTrue();
        assertThat(WarmUp.isCompiling(-1, 0)).isFalse();
    }

    /** Intervals may end late. The rate and the cost of a record stay the same. */
    @Test
    void intervalsOfGrowingLength_areNoDrift() {
        for (int i = 0; i < 30; i++) {
            long lengthMillis = 100 + 5L * i;
            warmUp.add(lengthMillis, 1_000 * lengthMillis, 200_000 * lengthMillis, 0);
        }
        assertThat(warmUp.driftsFrom(0)).isFalse();
        assertThat(warmUp.isOver()).isTrue();
        for (int i = 0; i < 15; i++) {
            warmUp.add(100, 100_000 - 3_000 * i, 20_000_000 - 600_000 * i, 0);
        }
        assertThat(warmUp.driftsFrom(30)).as("of the rate alone").isTrue();
    }

    private void run(int intervals, double nanosPerRecord, long compileMillis) {
        for (int i = 0; i < intervals; i++) {
            long records = (long) (RECORDS * (1 + 0.01 * random.nextGaussian()));
            warmUp.add(100, records, (long) (records * nanosPerRecord), compileMillis);
        }
    }
}
