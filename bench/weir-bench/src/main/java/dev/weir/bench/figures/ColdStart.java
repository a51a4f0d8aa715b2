package dev.weir.bench.figures;

import dev.weir.driver.Report;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Measures the first pass of a fresh process, beginning with its start command. Confined to one thread. */
public final class ColdStart {
    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final List<Report.Interval> intervals = new ArrayList<>();
    private long joinNanos;
    private boolean isOver;

    /** Adds an interval. Ignores intervals of later passes. */
    public void add(Report.Interval interval) {
        if (!isOver) {
            intervals.add(interval);
        }
    }

    /**
     * Marks the end of the pass. Later calls do nothing.
     *
     * @param nanosToFirstRecord time from the start command to the first record
     */
    public void ends(long nanosToFirstRecord) {
        if (!isOver) {
            joinNanos = nanosToFirstRecord;
            isOver = true;
        }
    }

    /**
     * Returns the seconds from the start command to the end of the first second in which this rate was reached; NaN if
     * it was never reached.
     */
    public double secondsTo(double recordsPerSecond) {
        int from = 0;
        long records = 0;
        for (int to = 0; to < intervals.size(); to++) {
            records += intervals.get(to).records();
            long end = intervals.get(to).atNanos();
            // Find the shortest window of at least a second that ends with this interval.
            while (end - endOf(from) >= WINDOW_NANOS) {
                records -= intervals.get(from++).records();
            }
            long begin = from == 0 ? 0 : endOf(from - 1);
            if (end - begin >= WINDOW_NANOS && records * 1e9 / (end - begin) >= recordsPerSecond) {
                return (joinNanos + end) / 1e9;
            }
        }
        return Double.NaN;
    }

    private long endOf(int interval) {
        return intervals.get(interval).atNanos();
    }
}
