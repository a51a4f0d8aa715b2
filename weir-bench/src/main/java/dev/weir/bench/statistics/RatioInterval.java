package dev.weir.bench.statistics;

import java.util.Arrays;

/**
 * The ratio of a driver to the baseline with an interval that holds the true one with the stated chance. Immutable,
 * thread-safe.
 *
 * <p>The unit is the run. Runs of one round are neighbours in time, so what the machine does to one it does to the
 * other, and it cancels in the ratio of the two. The logarithms of these ratios are averaged, and Student's t gives the
 * interval: exact for normal logarithms with as few as two rounds, where a bootstrap has too few distinct resamples and
 * a rank interval does not reach 95 % (docs/adr/0023).
 *
 * @param ratio geometric mean of the rounds' ratios
 * @param medianRatio median of the rounds' ratios; far from {@code ratio}, some round is odd
 * @param low end of the interval; 0 with one round, which says nothing
 * @param high end of the interval; infinite with one round
 * @param rounds that have a figure for both
 * @param p chance of a ratio so far from 1 if there were no difference
 */
public record RatioInterval(
        double ratio, double medianRatio, double low, double high, int rounds, double confidence, double p) {

    /**
     * Interval of figures paired by index. A pair with a figure that is not finite and positive is left out.
     *
     * @param confidence in (0, 1), e.g. 0.95
     */
    public static RatioInterval ofPairs(double[] driver, double[] baseline, double confidence) {
        return ofPairs(driver, baseline, confidence, 0);
    }

    /**
     * Creates an interval with a lower bound on the deviation of the logarithms, known from similar drivers.
     *
     * @param leastDeviation 0 if nothing is known
     */
    static RatioInterval ofPairs(double[] driver, double[] baseline, double confidence, double leastDeviation) {
        if (driver.length != baseline.length) {
            throw new IllegalArgumentException(
                    "figures must pair: driver=" + driver.length + " baseline=" + baseline.length);
        }
        if (!(confidence > 0 && confidence < 1)) {
            throw new IllegalArgumentException("confidence must be between 0 and 1: confidence=" + confidence);
        }
        double[] logs = logs(driver, baseline);
        int rounds = logs.length;
        double mean = Samples.mean(logs);
        double median = Math.exp(Samples.median(logs));
        if (rounds < 2) {
            return new RatioInterval(Math.exp(mean), median, 0, Double.POSITIVE_INFINITY, rounds, confidence, 1);
        }
        double error = Math.max(Samples.deviation(logs), leastDeviation) / Math.sqrt(rounds);
        double half = error * StudentT.twoSidedQuantile(confidence, rounds - 1);
        double p = error == 0 ? (mean == 0 ? 1 : 0) : StudentT.twoSidedP(mean / error, rounds - 1);
        return new RatioInterval(
                Math.exp(mean), median, Math.exp(mean - half), Math.exp(mean + half), rounds, confidence, p);
    }

    /** Logarithms of the ratios of the rounds that have both figures. */
    private static double[] logs(double[] driver, double[] baseline) {
        double[] logs = new double[driver.length];
        int rounds = 0;
        for (int i = 0; i < driver.length; i++) {
            double log = Math.log(driver[i]) - Math.log(baseline[i]);
            if (Double.isFinite(log)) {
                logs[rounds++] = log;
            }
        }
        return Arrays.copyOf(logs, rounds);
    }

    /** The deviation of such a pair's logarithms from round to round; NaN with fewer than two rounds. */
    static double deviation(double[] driver, double[] baseline) {
        return Samples.deviation(logs(driver, baseline));
    }

    /** Returns whether there is an interval at all. */
    public boolean isBounded() {
        return rounds >= 2;
    }

    public boolean contains(double value) {
        return low <= value && value <= high;
    }

    /** The largest factor away from 1 that the interval still holds. */
    double farthestFactor() {
        return Math.max(high, 1 / low);
    }
}
