package dev.weir.bench.statistics;

import java.util.Arrays;

/**
 * The ratio of a driver to the baseline, with a confidence interval. Immutable, thread-safe.
 *
 * <p>Each run counts as one sample. The runs of one round follow each other closely, so effects of the machine
 * influence them equally and cancel out in their ratio. The logarithms of these ratios are averaged, and the interval
 * is computed with Student's t distribution. If the logarithms are normally distributed, the interval is exact even
 * with two rounds. With so few rounds, a bootstrap would have too few distinct resamples, and a rank interval would not
 * reach 95 % (docs/adr/0023).
 *
 * @param ratio the geometric mean of the rounds' ratios
 * @param medianRatio the median of the rounds' ratios; if it is far from {@code ratio}, some round is an outlier
 * @param low the lower end of the interval; 0 if there is only one round, which allows no conclusion
 * @param high the upper end of the interval; infinite if there is only one round
 * @param rounds the number of rounds that have a figure for both drivers
 * @param p the probability of a ratio at least this far from 1 if there is no difference
 */
public record RatioInterval(
        double ratio, double medianRatio, double low, double high, int rounds, double confidence, double p) {

    /**
     * Returns the interval for figures that are paired by index. Ignores pairs in which either figure is not finite and
     * positive.
     *
     * @param confidence in (0, 1), for example 0.95
     */
    public static RatioInterval ofPairs(double[] driver, double[] baseline, double confidence) {
        return ofPairs(driver, baseline, confidence, 0);
    }

    /**
     * Returns the interval for figures that are paired by index.
     *
     * @param leastDeviation the lower bound of the logarithms' standard deviation; 0 if nothing is known
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

    /** The logarithms of the ratios of rounds with figures for both drivers. */
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

    /** The standard deviation of the logarithms of the rounds' ratios; NaN if there are fewer than two rounds. */
    static double deviation(double[] driver, double[] baseline) {
        return Samples.deviation(logs(driver, baseline));
    }

    /** Returns whether there are enough rounds for an interval. */
    public boolean isBounded() {
        return rounds >= 2;
    }

    public boolean contains(double value) {
        return low <= value && value <= high;
    }

    /** The largest factor between the two drivers that the interval allows, in either direction. */
    double farthestFactor() {
        return Math.max(high, 1 / low);
    }
}
