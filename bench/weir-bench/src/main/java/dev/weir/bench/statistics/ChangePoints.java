package dev.weir.bench.statistics;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Finds the positions at which the level of a series of figures changes. Stateless, thread-safe. The same series always
 * gives the same result.
 *
 * <p>The method is E-divisive (Matteson and James, "A Nonparametric Approach for Multiple Change Point Analysis of
 * Multivariate Data", J. Am. Stat. Assoc. 109, 2014), which is used for continuous benchmarks (Daly et al., "The Use of
 * Change Point Detection to Identify Software Performance Regressions in a Continuous Integration System", ICPE 2020;
 * Fleming et al., "Hunter", ICPE 2023). The candidate for a change is the boundary with the greatest energy distance
 * between the figures on its two sides. A permutation test shows how often a distance at least as great arises by
 * chance.
 *
 * <p>There are three differences from the paper. First, distances are V-statistics, whose expected value in a series
 * without changes is the same for parts of any length. U-statistics of only three figures vary so much that they hide
 * changes at other positions. Second, after a change has been found, the parts before and after it are tested
 * separately. Third, a permutation test ends as soon as it can no longer succeed (Besag and Clifford, "Sequential Monte
 * Carlo p-values", Biometrika 78, 1991).
 */
public final class ChangePoints {

    /** Smallest number of figures in a level. Fewer may be outliers. */
    public static final int MIN_LENGTH = 3;

    /**
     * Smallest length of a series in which a level of {@link #MIN_LENGTH} figures can be detected. With 12 figures,
     * only 2 of the (12 choose 3) arrangements have all figures of such a level at one end, a smaller fraction than
     * {@link #ALPHA}.
     */
    public static final int FEWEST = 12;

    /** Significance level: the largest fraction of unchanged series that are reported as changed. */
    public static final double ALPHA = 0.01;

    private static final int PERMUTATIONS = 4_999;
    private static final int MAX_EXCEEDING = (int) (ALPHA * (PERMUTATIONS + 1));

    private ChangePoints() {}

    /**
     * A part of the series with one level.
     *
     * @param from the index of its first figure
     * @param to the index after its last figure
     * @param level the median of its figures
     */
    public record Segment(int from, int to, double level) {}

    /**
     * The changes found in a series.
     *
     * @param segments the segments in order; a single one if nothing changed
     * @param p the p-value of the permutation test; 1 if the series is too short to be divided
     */
    public record Finding(List<Segment> segments, double p) {}

    /** Finds the changes in a series, whose figures must all be finite. */
    public static Finding of(double... series) {
        if (!Arrays.stream(series).allMatch(Double::isFinite)) {
            throw new IllegalArgumentException("figures must be finite: " + Arrays.toString(series));
        }
        return find(series, 0);
    }

    /** Searches a part of a series that starts at the offset {@code from}. */
    private static Finding find(double[] part, int from) {
        double p = 1;
        if (part.length >= 2 * MIN_LENGTH) {
            Energy energy = new Energy(part);
            Division best = energy.best();
            p = energy.p(best);
            if (p <= ALPHA) {
                List<Segment> both =
                        new ArrayList<>(find(Arrays.copyOf(part, best.at), from).segments());
                both.addAll(find(Arrays.copyOfRange(part, best.at, part.length), from + best.at)
                        .segments());
                return new Finding(List.copyOf(both), p);
            }
        }
        return new Finding(List.of(new Segment(from, from + part.length, Samples.median(part))), p);
    }

    /** A division of a series in two: the index at which the second side begins, and the distance between the sides. */
    private record Division(int at, double distance) {}

    /** The pairwise distances of the figures in one part of a series. Confined to one thread. */
    private static final class Energy {
        private final double[][] distances;

        /**
         * Sums over the matrix of distances, in the current order: {@code [i][j]} sums the first i rows and j columns,
         * for {@code i <= j}.
         */
        private final double[][] sums;

        private final int[] order;

        /** Weight of the distances within a side, by the lengths of both sides. */
        private final double[][] within;

        /** Weight of the distances between the sides, by their total length. */
        private final double[] across;

        Energy(double[] part) {
            int n = part.length;
            distances = new double[n][n];
            sums = new double[n + 1][n + 1];
            order = new int[n];
            within = new double[n + 1][n + 1];
            across = new double[n + 1];
            for (int one = 1; one <= n; one++) {
                across[one] = 2.0 / one;
                for (int other = 1; other <= n - one; other++) {
                    within[one][other] = (double) other / one / (one + other);
                }
            }
            for (int i = 0; i < n; i++) {
                order[i] = i;
                for (int j = 0; j < n; j++) {
                    distances[i][j] = Math.abs(part[i] - part[j]);
                }
            }
        }

        /** Returns the division with the greatest distance. The second side may end before the part does. */
        Division best() {
            int n = order.length;
            for (int i = 0; i < n; i++) {
                double[] of = distances[order[i]];
                double[] before = sums[i];
                double[] upTo = sums[i + 1];
                // The distances are symmetric: this row's sum left of the diagonal equals the column's sum above the
                // diagonal.
                double row = before[i + 1] - before[i];
                for (int j = i; j < n; j++) {
                    row += of[order[j]];
                    upTo[j + 1] = before[j + 1] + row;
                }
            }
            int place = MIN_LENGTH;
            double most = -1;
            for (int at = MIN_LENGTH; at <= n - MIN_LENGTH; at++) {
                for (int to = at + MIN_LENGTH; to <= n; to++) {
                    double distance = distance(at, to);
                    if (distance > most) {
                        most = distance;
                        place = at;
                    }
                }
            }
            return new Division(place, most);
        }

        /**
         * Returns left * right / (left + right) times the energy distance, which is 2 * across / (left * right) -
         * withinLeft / left² - withinRight / right². Precomputed weights avoid divisions.
         */
        private double distance(int at, int to) {
            int right = to - at;
            double withinLeft = sums[at][at];
            double between = sums[at][to] - withinLeft;
            double withinRight = sums[to][to] - 2 * between - withinLeft;
            return across[to] * between - within[at][right] * withinLeft - within[right][at] * withinRight;
        }

        /** Estimates the p-value of a division by a permutation test. */
        double p(Division found) {
            SplittableRandom random = new SplittableRandom(order.length);
            // Subtract a margin for rounding errors, because many orders may have exactly this distance.
            double atLeast = found.distance * (1 - 1e-9);
            int exceeding = 0;
            for (int drawn = 1; drawn <= PERMUTATIONS; drawn++) {
                shuffle(random);
                if (best().distance >= atLeast && ++exceeding >= MAX_EXCEEDING) {
                    return exceeding / (double) drawn;
                }
            }
            return (exceeding + 1.0) / (PERMUTATIONS + 1);
        }

        private void shuffle(SplittableRandom random) {
            for (int i = order.length - 1; i > 0; i--) {
                int j = random.nextInt(i + 1);
                int one = order[i];
                order[i] = order[j];
                order[j] = one;
            }
        }
    }
}
