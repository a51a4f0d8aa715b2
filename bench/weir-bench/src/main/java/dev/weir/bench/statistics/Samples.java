package dev.weir.bench.statistics;

import java.util.Arrays;

/** Computes basic statistics of a sample. Stateless, thread-safe. */
public final class Samples {

    private Samples() {}

    /** The median of the finite values; NaN if there are none. */
    public static double median(double... values) {
        double[] sorted =
                Arrays.stream(values).filter(Double::isFinite).sorted().toArray();
        if (sorted.length == 0) {
            return Double.NaN;
        }
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    static double mean(double... values) {
        return Arrays.stream(values).average().orElse(Double.NaN);
    }

    /** The sample standard deviation; NaN if there are fewer than two values. */
    static double deviation(double... values) {
        if (values.length < 2) {
            return Double.NaN;
        }
        double mean = mean(values);
        double squares = Arrays.stream(values).map(v -> Math.pow(v - mean, 2)).sum();
        return Math.sqrt(squares / (values.length - 1));
    }
}
