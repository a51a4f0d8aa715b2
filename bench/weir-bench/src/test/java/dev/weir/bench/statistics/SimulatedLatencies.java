package dev.weir.bench.statistics;

import dev.weir.bench.result.LatencyTags;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * Takes the latencies of a simulated open-loop run, interval by interval. Confined to one thread.
 *
 * <p>Each record has three times: planned, sent, done. What counts is from planned to done: when a stall holds up the
 * sender, the records it could not send waited too, and a clock that starts at sending would forget them
 * (coordinated omission).
 */
public final class SimulatedLatencies {

    /** Three digits, 1 ns to 12 h; beyond it counts as 12 h, nothing is dropped. */
    private static final long MAX_NANOS = 12L * 3600 * 1_000_000_000;

    private Histogram response = fresh(LatencyTags.RESPONSE);
    private Histogram service = fresh(LatencyTags.SERVICE);
    private Histogram lateness = fresh(LatencyTags.LATENESS);
    private final List<Histogram> intervals = new ArrayList<>();

    /** One record, with its times on one monotonic clock. A time before its predecessor counts as the same time. */
    public void record(long plannedNanos, long sentNanos, long doneNanos) {
        response.recordValue(clamp(doneNanos - plannedNanos));
        service.recordValue(clamp(doneNanos - sentNanos));
        lateness.recordValue(clamp(sentNanos - plannedNanos));
    }

    /** Ends the interval and begins the next one; wall-clock times. */
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

    /** The ended intervals, to be given to the results folder. */
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
