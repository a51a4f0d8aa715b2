package dev.weir.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class TimingsTest {
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int RECORDS = 20_000;

    /**
     * The handler takes 0.1 ms per record at 1,000 records per second and stops once for a second. 1,000 records wait.
     */
    @Test
    void driverWithAPlantedPause_waitsWhereItsHandlersDoNot() throws Exception {
        Histogram fromPlan = simulate(true);
        Histogram fromHandler = simulate(false);

        assertThat(fromHandler.getValueAtPercentile(99.99)).isLessThan(MILLI);
        assertThat(fromPlan.getValueAtPercentile(94)).isLessThan(MILLI);
        assertThat(fromPlan.getValueAtPercentile(97.5) / (double) MILLI).isCloseTo(500, within(60.0));
        assertThat(fromPlan.getValueAtPercentile(99.9)).isGreaterThan(950 * MILLI);
        assertThat(fromPlan.getTotalCount()).isEqualTo(RECORDS);
    }

    private static Histogram simulate(boolean fromPlan) throws Exception {
        Timings timings = new Timings(1);
        Histogram sum = new Histogram(3);
        SendPlan plan = SendPlan.constant(1_000);
        long now = 0;
        for (int i = 0; i < RECORDS; i++) {
            long due = plan.nextNanos();
            long begun = Math.max(due, now);
            now = begun + MILLI / 10 + (i == RECORDS / 2 ? 1_000 * MILLI : 0);
            timings.record(0, now - (fromPlan ? due : begun));
            if (i % 1_000 == 999) {
                sum.add(decoded(timings.take().get(0)));
            }
        }
        return sum;
    }

    @Test
    void take_givesEachPartitionWhatCameSinceTheLast() throws Exception {
        Timings timings = new Timings(3);
        timings.record(2, 5 * MILLI);
        assertThat(timings.take().subList(0, 2)).containsExactly("", "");
        timings.record(2, 7 * MILLI);
        timings.record(2, 7 * MILLI);
        Histogram second = decoded(timings.take().get(2));
        assertThat(second.getTotalCount()).isEqualTo(2);
        assertThat(second.getMinValue() / (double) MILLI).isCloseTo(7, within(0.01));
    }

    @Test
    void record_beyondTheScale_isKeptAtItsEnd() throws Exception {
        Timings timings = new Timings(1);
        timings.record(0, Long.MAX_VALUE);
        timings.record(0, -1);
        Histogram taken = decoded(timings.take().get(0));
        assertThat(taken.getTotalCount()).isEqualTo(2);
        assertThat(taken.getMaxValue() / 1e9).isCloseTo(3_600, within(4.0));
    }

    @Test
    void plan_withoutRateOrCommonClock_isRefused() {
        assertThatThrownBy(() -> SendPlan.of(Map.of())).hasMessageContaining("none is ordered");
        long hourAgo = System.nanoTime() - TimeUnit.HOURS.toNanos(1);
        assertThatThrownBy(() -> SendPlan.of(Map.of(SendPlan.RATE, "5", SendPlan.START, Long.toString(hourAgo))))
                .hasMessageContaining("no common clock");
    }

    @Test
    void passWithAPlan_timesEachRecord_andFailsOnOneFromTheFuture() throws Exception {
        Command.Configure configuration = new Command.Configure(
                "", Map.of(), "t", 2, 10, 23, Scenario.STEADY, Map.of(), Map.of(SendPlan.RATE, "5"), 1_000);
        Pass pass = new Pass(configuration, new Command.Start("g", 0, 10));
        long now = System.nanoTime();
        pass.delivered(1, pass.value(0));
        pass.delivered(1, pass.value(1, now - 3 * MILLI, 1));
        List<String> taken = pass.lateness().take();
        assertThat(taken.get(0)).isEmpty();
        assertThat(decoded(taken.get(1)).getTotalCount()).isOne();
        assertThat(decoded(taken.get(1)).getMinValue()).isGreaterThanOrEqualTo(2 * MILLI);
        assertThat(pass.isDone()).isFalse();

        pass.delivered(0, pass.value(0, now + TimeUnit.HOURS.toNanos(1), 0));
        assertThat(pass.isDone()).isTrue();
        assertThatThrownBy(pass::result).hasMessageContaining("no common clock");
    }

    private static Histogram decoded(String text) throws Exception {
        return Histogram.decodeFromCompressedByteBuffer(
                ByteBuffer.wrap(Base64.getDecoder().decode(text)), 0);
    }
}
