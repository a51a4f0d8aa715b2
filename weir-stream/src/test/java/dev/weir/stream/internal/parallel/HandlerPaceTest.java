package dev.weir.stream.internal.parallel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.Ordering;
import dev.weir.stream.Parallelism;
import dev.weir.stream.internal.workers.WorkerLimit;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.StageMeter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the average duration of handlers, and the measurement of runs. */
class HandlerPaceTest {

    private final HandlerPace pace = new HandlerPace();

    @Test
    void average_beginsWithTheFirstDuration_andFollowsByAQuarter() {
        pace.add(1_000);
        assertThat(pace.nanos()).isEqualTo(1_000);
        pace.add(5_000);
        assertThat(pace.nanos()).isEqualTo(2_000);
        pace.add(0);
        assertThat(pace.nanos()).isEqualTo(1_500);
    }

    @Test
    void handlers_beforeTheFirstMeasurement_areNotQuick() {
        assertThat(pace.isQuick()).isFalse();
        assertThat(pace.runLength()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({
        "0, true, 64",
        "100, true, 64",
        "1000, true, 10",
        "5000, true, 2",
        "9999, true, 1",
        "10000, false, 1",
        "1000000, false, 1"
    })
    void runs_takeAboutTenMicroseconds(long nanos, boolean quick, int length) {
        pace.add(nanos);
        assertThat(pace.isQuick()).isEqualTo(quick);
        assertThat(pace.runLength()).isEqualTo(length);
    }

    @Test
    void handlerThatRunsForLong_makesQuickHandlersSlow_andLeavesTheAverageOfSlowOnes() {
        pace.add(1_000);
        pace.addSlow();
        assertThat(pace.isQuick()).isFalse();
        assertThat(pace.nanos()).isEqualTo(40_000);
        HandlerPace slow = new HandlerPace();
        slow.add(1_000_000);
        slow.addSlow();
        assertThat(slow.nanos()).isEqualTo(1_000_000);
    }

    @Test
    void run_isMeasuredOnceItHasItsLength_andAccountedOnce() {
        StageMeter meter = new StageMeter();
        ElementTable<Integer> table = new ElementTable<>(4, false, false);
        TimedRun run = new TimedRun(meter, pace, new WorkerLimit(Parallelism.fixed(1), 0));
        run.begin();
        run.end();
        // All elements were revoked, so no handler was called.
        run.add(0);
        run.account(table);
        assertThat(meter.busyNanos()).isZero();
        assertThat(pace.nanos()).isEqualTo(Long.MAX_VALUE);

        run.add(1);
        long busy = meter.busyNanos();
        assertThat(busy).isPositive();
        run.account(table);
        assertThat(pace.nanos()).isEqualTo(busy);
        run.account(table);
        run.end();
        assertThat(pace.nanos()).isEqualTo(busy);
        assertThat(meter.busyNanos()).isEqualTo(busy);
    }

    /** Several quick elements are timed together. The measurement may also end early, before the worker waits. */
    @Test
    void run_ofQuickElements_isDividedByTheirNumber() {
        StageMeter meter = new StageMeter();
        ElementTable<Integer> table = new ElementTable<>(4, false, false);
        assertThat(table.offer(1, AckTarget.NONE, 0, Ordering.NO_KEY)).isTrue();
        TimedRun run = new TimedRun(meter, pace, new WorkerLimit(Parallelism.fixed(1), 0));
        run.begin();
        run.add(1_000);
        run.account(table);
        assertThat(pace.nanos()).isEqualTo(meter.busyNanos() / 1_000);
    }
}
