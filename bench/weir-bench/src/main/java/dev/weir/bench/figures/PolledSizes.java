package dev.weir.bench.figures;

import dev.weir.driver.Report;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The distribution of the number of records returned by polls, over any number of processes and intervals. Confined to
 * one thread.
 */
public final class PolledSizes {
    /** Prefix of the figures of polls. */
    public static final String PREFIX = "polls: ";

    public static final String P50 = PREFIX + "records p50";
    public static final String P90 = PREFIX + "records p90";
    public static final String P99 = PREFIX + "records p99";
    public static final String MAX = PREFIX + "records max";

    /** Percentage of empty polls. Missing if a library's empty polls are not visible. */
    public static final String EMPTY = PREFIX + "empty %";

    private final Histogram sizes = new Histogram(3);
    private long empty;
    private boolean seesEmpty = true;

    /**
     * Adds the polls that a process reported for an interval.
     *
     * @throws dev.weir.bench.RunFailure if the report is not a histogram
     */
    public void add(Report.@Nullable Polls polls) {
        if (polls == null) {
            return;
        }
        seesEmpty &= polls.empty() != Report.Polls.UNKNOWN;
        empty += Math.max(0, polls.empty());
        sizes.add(ReportedTimings.decoded(polls.sizes()));
    }

    /** Returns all polls as a process would report them; null if there were none. */
    public Report.@Nullable Polls told() {
        if (sizes.getTotalCount() == 0 && empty == 0) {
            return null;
        }
        String text = "";
        if (sizes.getTotalCount() > 0) {
            ByteBuffer buffer = ByteBuffer.allocate(sizes.getNeededByteBufferCapacity());
            int length = sizes.encodeIntoCompressedByteBuffer(buffer);
            text = Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length));
        }
        return new Report.Polls(text, seesEmpty ? empty : Report.Polls.UNKNOWN);
    }

    /** Adds the figures by name. Percentiles cover only polls that returned records. */
    public void put(Map<String, Double> figures) {
        if (sizes.getTotalCount() > 0) {
            figures.put(P50, atPercentile(50));
            figures.put(P90, atPercentile(90));
            figures.put(P99, atPercentile(99));
            figures.put(MAX, atPercentile(100));
        }
        long all = sizes.getTotalCount() + empty;
        if (seesEmpty && all > 0) {
            figures.put(EMPTY, 100.0 * empty / all);
        }
    }

    /** Returns the percentile, as the lowest size in its histogram bucket. */
    private double atPercentile(double percentile) {
        return sizes.lowestEquivalentValue(sizes.getValueAtPercentile(percentile));
    }
}
