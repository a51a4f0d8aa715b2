package dev.weir.bench.statistics;

import dev.weir.bench.result.LatencyTags;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * Records the latencies of a simulated open-loop run, interval by interval. Confined to one thread.
 *
 * <p>Each record has a planned, a sent and a done time. The response time is the time from planned to done, so it
 * includes the delay of a stalled sender (coordinated omission).
 */
public final class SimulatedLatencies {

    /** Largest recorded time. Longer times count as 12 h. */
    private static final long MAX_NANOS = 12L * 3600 * 1_000_000_000;

    private Histogram response = fresh(LatencyTags.RESPONSE);
    private Histogram service = fresh(LatencyTags.SERVICE);
    private Histogram lateness = fresh(LatencyTags.LATENESS);
    private final List<Histogram> intervals = new ArrayList<>();

    /** Adds one record, with its times on one monotonic clock. */
    public void record(long plannedNanos, long sentNanos, long doneNanos) {
        response.recordValue(clamp(doneNanos - plannedNanos));
        service.recordValue(clamp(doneNanos - sentNanos));
        lateness.recordValue(clamp(sentNanos - plannedNanos));
    }

    /** Ends the interval and begins the next one. The arguments are wall-clock times. */
    public void endInterval(long startMillis, long endMillis) {
        for (Histogram histogram : List.of(response, service, lateness)) {
            if (histogram.getTotalCount() > 0) {
                histogram.setStartTimeStamp(startMillis);
                histogram.setEndTimeStamp(endMillis);
                intervals.add(histogram);
            }
        }
        response = fresh(LatencyTags.RESPONSE);
        service = fresh(LatencyTags.SERVICE);
        lateness = fresh(LatencyTags.LATENESS);
    }

    public List<Histogram> intervals() {
        return List.copyOf(intervals);
    }

    private static long clamp(long nanos) {
        return Math.clamp(nanos, 0, MAX_NANOS);
    }

    private static Histogram fresh(String tag) {
        Histogram histogram = new Histogram(MAX_NANOS, 3);
        histogram.setTag(tag);
        return histogram;
    }
}
