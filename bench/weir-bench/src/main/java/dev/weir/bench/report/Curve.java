package dev.weir.bench.report;

import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/** A point of a percentile curve. Immutable, thread-safe. */
record Curve(double percentile, double millis) {

    /**
     * Returns ten points from percentile 0 to 90, ten from 90 to 99, ten from 99 to 99.9, and so on, as long as at
     * least ten samples lie beyond the point. The last point is the maximum, at percentile 100.
     */
    static List<Curve> of(Histogram nanos) {
        List<Curve> curve = new ArrayList<>();
        for (int step = 0; ; step++) {
            double beyond = Math.pow(10, -step / 10.0);
            if (nanos.getTotalCount() * beyond < 10) {
                break;
            }
            double percentile = 100 * (1 - beyond);
            curve.add(new Curve(percentile, nanos.getValueAtPercentile(percentile) / 1e6));
        }
        if (nanos.getTotalCount() > 0) {
            curve.add(new Curve(100, nanos.getMaxValue() / 1e6));
        }
        return curve;
    }
}
