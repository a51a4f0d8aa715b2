package dev.weir.bench.statistics;

import java.util.Arrays;

/**
 * The ratio of a driver to the baseline, with a confidence interval. Immutable, thread-safe.
 *
 * <p>The unit of the statistics is the run. The runs of one round are close to each other in time, so influences of the
 * machine affect them alike and cancel out in their ratio. The logarithms of these ratios are averaged, and Student's t
 * gives the interval. For normally distributed logarithms the interval is exact even with two rounds. A bootstrap would
 * have too few distinct resamples then, and a rank interval would not reach 95 % (docs/adr/0023).
 *
 * @param ratio the geometric mean of the rounds' ratios
 * @param medianRatio the median of the rounds' ratios; if it is far from {@code ratio}, some round is an outlier
 * @param low the lower end of the interval; 0 with one round, which allows no conclusion
 * @param high the upper end of the interval; infinite with one round
 * @param rounds the number of rounds that have a figure for both drivers
 * @param p the probability of a ratio at least this far from 1 if there is no difference
 */
public record RatioInterval(
        double ratio, double medianRatio, double low, double high, int rounds, double confidence, double p) {

    /**
     * Returns the interval of figures that are paired by index. A pair is ignored if one of its figures is not finite
     * and positive.
     *
     * @param confidence in (0, 1), for example 0.95
     */
    public static RatioInterval ofPairs(double[] driver, double[] baseline, double confidence) {
        return ofPairs(driver, baseline, confidence, 0);
    }

    /**
     * Returns the interval, with a lower bound on the standard deviation of the logarithms that is known from similar
     * drivers.
     *
     * @param leastDeviation the lower bound; 0 if nothing is known
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

    /** The logarithms of the ratios in the rounds that have both figures. */
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

    /** The standard deviation of the logarithms of the rounds' ratios; NaN with fewer than two rounds. */
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

    /** The factor between 1 and the end of the interval that lies farthest from 1. */
    double farthestFactor() {
        return Math.max(high, 1 / low);
    }
}
