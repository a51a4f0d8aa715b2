package dev.weir.bench.statistics;

import java.util.Arrays;

/**
 * Decides whether a series of equal intervals (records per second, usually) has stopped changing, and from where on.
 * Stateless, thread-safe.
 *
 * <p>Where to cut: MSER (White, "An effective truncation heuristic for bias reduction in simulation output", Simulation
 * 69, 1997): the start that makes the standard error of the mean of the rest least; if that is past the middle, the
 * series is too short. Whether the rest is steady: its slope (Theil-Sen) is small, or no slope at all is evident
 * (Mann-Kendall, 1 %). Both ignore outliers, so a single collection or a disturbed second does not make a run unsteady.
 * That a run may never become steady is a result (Barrett et al.,
 * "Virtual machine warmup blows hot and cold", OOPSLA 2017).
 */
public final class SteadyState {

    /** Intervals below which nothing is said to be steady. */
    public static final int MIN_INTERVALS = 8;

    /** A change over the steady part that does not matter. */
    public static final double MAX_DRIFT = 0.05;

    /** Spread (deviation by mean) beyond which a mean says little. */
    public static final double MAX_SPREAD = 0.3;

    private static final double EVIDENT_Z = 2.576;

    private SteadyState() {}

    /**
     * The finding.
     *
     * @param from first interval of the steady part; where {@code steady} is false, the best start that there is
     * @param drift change over the part, relative to its median
     * @param spread deviation of the part by its mean
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
     * Returns whether a whole series goes up or down, evidently and by more than does not matter; never of a short one.
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
        // Shifted by a value of the series: without it, squares of large near-equal numbers cancel to nothing.
        double shift = series.length == 0 ? 0 : series[series.length - 1];
        for (int i = series.length - 1; i >= 0; i--) {
            double value = series[i] - shift;
            sum += value;
            squares += value * value;
            int n = series.length - i;
            double error = (squares - sum * sum / n) / ((double) n * n);
            // Not later than the middle: the last few values are alike by chance. "<=": the earlier of equals.
            if (i <= series.length / 2 && error <= bestError) {
                bestError = error;
                best = i;
            }
        }
        return best;
    }

    /** Theil-Sen: the median of the slopes of all pairs. */
    private static double slope(double[] values) {
        double[] slopes = new double[values.length * (values.length - 1) / 2];
        int n = 0;
        for (int i = 0; i < values.length; i++) {
            for (int j = i + 1; j < values.length; j++) {
                slopes[n++] = (values[j] - values[i]) / (j - i);
            }
        }
        return Samples.median(slopes);
    }

    /**
     * Mann-Kendall: how surely the values rise (positive) or fall, in standard deviations; ties are not corrected for.
     */
    private static double kendallZ(double[] values) {
        long s = 0;
        for (int i = 0; i < values.length; i++) {
            for (int j = i + 1; j < values.length; j++) {
                s += (long) Math.signum(values[j] - values[i]);
            }
        }
        double n = values.length;
        double deviation = Math.sqrt(n * (n - 1) * (2 * n + 5) / 18);
        return (s - Math.signum((double) s)) / deviation;
    }
}
