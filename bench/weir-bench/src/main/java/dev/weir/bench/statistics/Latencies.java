package dev.weir.bench.statistics;

import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Computes figures from latency histograms. Stateless, thread-safe. */
public final class Latencies {

    private Latencies() {}

    /**
     * Returns the percentile in milliseconds. Returns NaN if fewer than 10 samples lie beyond the percentile.
     *
     * @param percentile in [0, 100)
     */
    public static double percentileMillis(@Nullable Histogram nanos, double percentile) {
        if (nanos == null || nanos.getTotalCount() * (1 - percentile / 100) < 10 - 1e-6) {
            return Double.NaN;
        }
        return nanos.getValueAtPercentile(percentile) / 1e6;
    }
}
