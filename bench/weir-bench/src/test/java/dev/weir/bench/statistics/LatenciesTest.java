package dev.weir.bench.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.bench.result.LatencyTags;
import dev.weir.driver.SendPlan;
import java.util.Map;
import java.util.Objects;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class LatenciesTest {

    private static final long MILLI = 1_000_000;

    /**
     * A server that takes 0.1 ms per record gets 1,000 records per second and stalls for one of 20 seconds. 5 % of the
     * records wait.
     */
    @Test
    void response_withAPlantedStall_showsItWhereServiceTimeHidesIt() {
        Map<String, Histogram> latencies = simulate(SendPlan.constant(1_000), 20_000, 10_000 * MILLI, 1_000 * MILLI);
        Histogram response = get(latencies, LatencyTags.RESPONSE);
        Histogram service = get(latencies, LatencyTags.SERVICE);

        assertThat(Latencies.percentileMillis(service, 99.9)).isLessThan(0.2);
        assertThat(Latencies.percentileMillis(response, 94)).isLessThan(0.2);
        assertThat(Latencies.percentileMillis(response, 97.5)).isCloseTo(500, within(60.0));
        assertThat(Latencies.percentileMillis(response, 99.9)).isGreaterThan(950);
        assertThat(response.getTotalCount()).isEqualTo(20_000);
    }

    @Test
    void generator_thatFellBehind_isFlagged() {
        Map<String, Histogram> stalled = simulate(SendPlan.constant(1_000), 20_000, 10_000 * MILLI, 1_000 * MILLI);
        Map<String, Histogram> healthy = simulate(SendPlan.constant(1_000), 20_000, 10_000 * MILLI, 0);
        assertThat(LimitingParty.isGeneratorBound(get(stalled, LatencyTags.LATENESS), MILLI))
                .isTrue();
        assertThat(LimitingParty.isGeneratorBound(get(healthy, LatencyTags.LATENESS), MILLI))
                .isFalse();
    }

    /**
     * M/D/1 at half load: the mean response is service * (1 + load / (2 * (1 - load))) = 1.5 times the service time.
     */
    @Test
    void response_underPoissonArrivals_isWhatQueueingTheorySays() {
        Histogram response = get(simulate(SendPlan.poisson(5_000, 7), 400_000, 0, 0), LatencyTags.RESPONSE);
        assertThat(response.getMean() / 1e5).isCloseTo(1.5, within(0.03));
    }

    @Test
    void percentile_withTooFewSamplesBeyond_isNotANumber() {
        Histogram histogram = new Histogram(3);
        histogram.recordValueWithCount(MILLI, 999);
        assertThat(Latencies.percentileMillis(histogram, 99)).isNaN();
        histogram.recordValue(MILLI);
        assertThat(Latencies.percentileMillis(histogram, 99)).isCloseTo(1, within(0.01));
        assertThat(Latencies.percentileMillis(null, 50)).isNaN();
    }

    private static Histogram get(Map<String, Histogram> latencies, String tag) {
        return Objects.requireNonNull(latencies.get(tag));
    }

    /** Returns the histograms of one server that takes 0.1 ms per record. Its stall also delays the sender. */
    private static Map<String, Histogram> simulate(SendPlan plan, int records, long stallAtNanos, long stallNanos) {
        SimulatedLatencies latencies = new SimulatedLatencies();
        long freeNanos = 0;
        boolean stalled = stallNanos == 0;
        for (int i = 0; i < records; i++) {
            long planned = plan.nextNanos();
            long sent = Math.max(planned, freeNanos);
            long done = sent + MILLI / 10;
            if (!stalled && sent >= stallAtNanos) {
                stalled = true;
                done += stallNanos;
            }
            freeNanos = done;
            latencies.record(planned, sent, done);
            if (i % 10_000 == 9_999) {
                latencies.endInterval(i - 9_999, i);
            }
        }
        return LatencyTags.merge(latencies.intervals());
    }
}
