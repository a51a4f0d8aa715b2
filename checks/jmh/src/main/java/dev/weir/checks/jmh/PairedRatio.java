package dev.weir.checks.jmh;

import java.util.Locale;

/** The ratio of values measured in pairs, with a 95 % confidence interval (Student's t over the logarithms). */
final class PairedRatio {

    private PairedRatio() {}

    /**
     * Returns the mean and the interval as text.
     *
     * @param logs the natural logarithm of each pair's ratio, at least two
     */
    static String of(double[] logs) {
        double mean = 0;
        for (double log : logs) {
            mean += log / logs.length;
        }
        double squares = 0;
        for (double log : logs) {
            squares += (log - mean) * (log - mean);
        }
        double half = student(logs.length - 1) * Math.sqrt(squares / (logs.length - 1) / logs.length);
        return String.format(
                Locale.ROOT, "%.3f [%.3f, %.3f]", Math.exp(mean), Math.exp(mean - half), Math.exp(mean + half));
    }

    /**
     * Returns the 97.5 % quantile of Student's t by series expansion, accurate to a hundredth from 5 degrees of freedom
     * on.
     */
    private static double student(int degrees) {
        double normal = 1.959964;
        double cube = Math.pow(normal, 3);
        double fifth = Math.pow(normal, 5);
        return normal
                + (cube + normal) / (4 * degrees)
                + (5 * fifth + 16 * cube + 3 * normal) / (96.0 * degrees * degrees);
    }
}
