package dev.weir.bench.statistics;

import java.util.Arrays;

/**
 * Decides whether a series of figures from intervals of equal length, usually records per second, has become steady,
 * and from which interval on. Stateless, thread-safe.
 *
 * <p>The start of the steady part is determined by MSER (White, "An effective truncation heuristic for bias reduction
 * in simulation output", Simulation 69, 1997). MSER selects the start for which the mean of the remaining intervals has
 * the smallest standard error. Only starts in the first half are considered. If the best start is the middle itself,
 * the series is too short. The remaining part is steady under two conditions: its spread is at most
 * {@link #MAX_SPREAD}, and its slope (Theil-Sen) is either small or not statistically significant (Mann-Kendall, 1 %).
 * Both slope tests are robust against outliers, so a single garbage collection or disturbed second does not make a run
 * unsteady. A run that never becomes steady is a valid result (Barrett et al., "Virtual machine warmup blows hot and
 * cold", OOPSLA 2017).
 */
public final class SteadyState {

    /** Smallest number of intervals in a steady part. */
    public static final int MIN_INTERVALS = 8;

    /** Largest tolerated relative change over a steady part. */
    public static final double MAX_DRIFT = 0.05;

    /** Largest spread (standard deviation divided by mean) at which the mean is still meaningful. */
    public static final double MAX_SPREAD = 0.3;

    private static final double EVIDENT_Z = 2.576;

    private SteadyState() {}

    /**
     * The result for one series.
     *
     * @param from the first interval of the steady part; if {@code steady} is false, the best available start
     * @param drift the change over this part, relative to its median
     * @param spread the standard deviation of this part, divided by its mean
     */
    public record Finding(boolean steady, int from, double drift, double spread) {}

    public static Finding of(double... series) {
        int from = leastErrorStart(series);
        double[] rest = Arrays.copyOfRange(series, from, series.length);
        if (rest.length < MIN_INTERVALS) {
            return new Finding(false, from, Double.NaN, Double.NaN);
        }
        double drift = drift(rest);
        double mean = Samples.mean(rest);
        double spread = mean == 0 ? 0 : Samples.deviation(rest) / Math.abs(mean);
        boolean cut = from < series.length / 2;
        return new Finding(cut && !drifts(rest) && spread <= MAX_SPREAD, from, drift, spread);
    }

    /**
     * Returns whether a whole series changes by more than {@link #MAX_DRIFT} with a statistically significant slope.
     * Returns false for fewer than {@link #MIN_INTERVALS} intervals.
     */
    public static boolean drifts(double... series) {
        return series.length >= MIN_INTERVALS
                && Math.abs(drift(series)) > MAX_DRIFT
                && Math.abs(kendallZ(series)) >= EVIDENT_Z;
    }

    private static double drift(double[] values) {
        double median = Samples.median(values);
        return median == 0 ? 0 : slope(values) * (values.length - 1) / median;
    }

    private static int leastErrorStart(double[] series) {
        int best = 0;
        double bestError = Double.POSITIVE_INFINITY;
        double sum = 0;
        double squares = 0;
        // Without the shift, the squares of large, nearly equal numbers lose precision.
        double shift = series.length == 0 ? 0 : series[series.length - 1];
        for (int i = series.length - 1; i >= 0; i--) {
            double value = series[i] - shift;
            sum += value;
            squares += value * value;
            int n = series.length - i;
            double error = (squares - sum * sum / n) / ((double) n * n);
            // The start must be in the first half, because the last values can be similar by chance. The loop runs
            // backward, so "<=" selects the earliest of equal starts.
            if (i <= series.length / 2 && error <= bestError) {
                bestError = error;
                best = i;
            }
        }
        return best;
    }

    /** Theil-Sen estimator: the median of the slopes of all pairs. */
    private static double slope(double[] values) {
        double[] slopes = new double[values.length * (values.length - 1) / 2];
        int n = 0;
        for (int j = 0; j < values.length; j++) {
            for (int i = 0; i < j; i++) {
                slopes[n++] = (values[j] - values[i]) / (j - i);
            }
        }
        return Samples.median(slopes);
    }

    /**
     * Mann-Kendall test: how strongly the values rise (positive) or fall (negative), in standard deviations, without a
     * correction for ties.
     */
    private static double kendallZ(double[] values) {
        long s = 0;
        for (int j = 0; j < values.length; j++) {
            for (int i = 0; i < j; i++) {
                s += (long) Math.signum(values[j] - values[i]);
            }
        }
        double n = values.length;
        double deviation = Math.sqrt(n * (n - 1) * (2 * n + 5) / 18);
        return (s - Math.signum((double) s)) / deviation;
    }
}
