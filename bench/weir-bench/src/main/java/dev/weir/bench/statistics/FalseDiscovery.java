package dev.weir.bench.statistics;

import java.util.Arrays;
import java.util.Comparator;

/**
 * Adjusts p-values for multiple comparisons. Stateless. Benjamini and Hochberg, "Controlling the false discovery rate",
 * J. R. Statist. Soc. B 57, 1995.
 */
final class FalseDiscovery {

    private FalseDiscovery() {}

    /** Returns the adjusted p-values in the order of the given p-values. */
    static double[] adjust(double... p) {
        Integer[] order = new Integer[p.length];
        Arrays.setAll(order, i -> i);
        Arrays.sort(order, Comparator.comparingDouble(i -> p[i]));
        double[] adjusted = new double[p.length];
        double least = 1;
        for (int rank = p.length; rank >= 1; rank--) {
            int i = order[rank - 1];
            least = Math.min(least, p[i] * p.length / rank);
            adjusted[i] = least;
        }
        return adjusted;
    }
}
