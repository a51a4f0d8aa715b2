package dev.weir.bench.figures;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bench.workload.LatencyTarget;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests recovery with seconds of a group that gets 1,000 records per second and must receive them within 100 ms. */
class RecoveryTest {
    private static final Recovery RECOVERY = new Recovery(LatencyTarget.of("p99<=100ms"));
    private static final double SLOT = 1000;

    private static final Recovery.Second GOOD = new Recovery.Second(1000, 20, 0, 5);
    private static final Recovery.Second LATE = new Recovery.Second(1000, 20, 0, 900);

    @ParameterizedTest
    @CsvSource(textBlock = """
            1000, 105, 0, 100, true,  all within the limit
            1000, 106, 0, 5,   false, more waits than can be on time
            1000, 0,   1, 5,   false, a partition is silent
            1000, 0,   0, 101, false, late
            0,    0,   0, NaN, true,  nothing was sent
            0,    50,  0, NaN, false, a backlog that nobody takes
            20,   4,   0, 5,   true,  so few that none may be under way
            """)
    void second_isGood(long sent, long lag, int silent, double percentile, boolean isGood, String why) {
        assertThat(RECOVERY.isGood(List.of(new Recovery.Second(sent, lag, silent, percentile)), 0, SLOT))
                .as(why)
                .isEqualTo(isGood);
    }

    @Test
    void moreMayWait_whereTheLimitIsSeconds() {
        Recovery slow = new Recovery(LatencyTarget.of("p99<=2500ms"));
        List<Recovery.Second> seconds = List.of(
                new Recovery.Second(400, 0, 0, 5),
                new Recovery.Second(1000, 0, 0, 5),
                new Recovery.Second(1000, 2205, 0, 2000),
                new Recovery.Second(1000, 2506, 0, 2000));
        assertThat(slow.isGood(seconds, 2, SLOT)).isTrue();
        assertThat(slow.isGood(seconds, 3, SLOT)).isFalse();
    }

    @Test
    void recovered_isTheFirstOfThreeGoodSecondsInARow() {
        // A kill becomes visible only in the second after it.
        List<Recovery.Second> seconds = List.of(GOOD, GOOD, LATE, GOOD, LATE, GOOD, GOOD, GOOD, LATE, GOOD);
        assertThat(RECOVERY.recovered(seconds, SLOT, 0, 10)).isEqualTo(5);
        assertThat(RECOVERY.recovered(seconds, SLOT, 5, 10)).isEqualTo(5);
        assertThat(RECOVERY.recovered(seconds, SLOT, 6, 10)).as("two are left").isEqualTo(-1);
        assertThat(RECOVERY.recovered(seconds, SLOT, 0, 7))
                .as("the next order came")
                .isEqualTo(-1);
        assertThat(RECOVERY.recovered(List.of(GOOD, GOOD, GOOD), SLOT, 0, 3))
                .as("not felt")
                .isZero();
    }
}
