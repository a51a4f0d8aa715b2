package dev.weir.bench.measurement;

import dev.weir.bench.result.LatencyTags;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** The histograms of a steady run by interval, with wall-clock times. Confined to the thread of the run. */
final class LatencyLog {
    private final long wallNanos = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis()) - System.nanoTime();
    private final List<Histogram> all = new ArrayList<>();

    /**
     * Adds the responses of an interval, even if there are none, because readers align the end of the log with the end
     * of the last interval.
     */
    void keepResponses(Histogram responses, boolean isWarmUp, long startNanos, long endNanos) {
        if (responses.getTotalCount() > 0 || !all.isEmpty()) {
            add(responses, LatencyTags.RESPONSE, isWarmUp, startNanos, endNanos);
        }
    }

    void keep(Histogram histogram, String tag, boolean isWarmUp, long startNanos, long endNanos) {
        if (histogram.getTotalCount() > 0) {
            add(histogram, tag, isWarmUp, startNanos, endNanos);
        }
    }

    private void add(Histogram histogram, String tag, boolean isWarmUp, long startNanos, long endNanos) {
        histogram.setTag(isWarmUp ? LatencyTags.ofWarmUp(tag) : tag);
        histogram.setStartTimeStamp(TimeUnit.NANOSECONDS.toMillis(wallNanos + startNanos));
        histogram.setEndTimeStamp(TimeUnit.NANOSECONDS.toMillis(wallNanos + endNanos));
        all.add(histogram);
    }

    /** Makes all histograms so far part of the warm-up. */
    void discard() {
        for (Histogram histogram : all) {
            if (!LatencyTags.isOfWarmUp(histogram.getTag())) {
                histogram.setTag(LatencyTags.ofWarmUp(histogram.getTag()));
            }
        }
    }

    List<Histogram> all() {
        return all;
    }
}
