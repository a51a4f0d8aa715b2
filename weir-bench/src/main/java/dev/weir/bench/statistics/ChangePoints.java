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
 * Fleming et al., "Hunter", ICPE 2023). The candidate for a change is the boundary between the two neighbouring parts
 * of the series whose energy distance is greatest. A permutation test shows how often chance produces as great a
 * distance.
 *
 * <p>There are three differences from the paper. First, distances are V-statistics, whose expectation without a change
 * is the same for parts of any length. U-statistics of three figures vary so much that they hide changes elsewhere.
 * Second, each part created by a change is tested separately. Third, a permutation test ends early once it can only
 * fail (Besag and Clifford, "Sequential Monte Carlo p-values", Biometrika 78, 1991).
 */
public final class ChangePoints {

    /** Smallest number of figures in a level. One or two deviating figures may be outliers. */
    public static final int MIN_LENGTH = 3;

    /**
     * Smallest length of a series in which a change of {@link #MIN_LENGTH} figures can be found. In a shorter series,
     * chance alone reaches the clearest division too often. With 12 figures, 2 of the (12 choose 3) orders reach it,
     * which is less than {@link #ALPHA}.
     */
    public static final int FEWEST = 12;

    /** Significance level: the largest acceptable share of unchanged series that are reported as changed. */
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
     * @param p the probability that chance alone allows a division as clear as the best division of the series; 1 if
     *     the series is too short for a division
     */
    public record Finding(List<Segment> segments, double p) {}

    /** Finds the changes of a series of finite figures. */
    public static Finding of(double... series) {
        if (!Arrays.stream(series).allMatch(Double::isFinite)) {
            throw new IllegalArgumentException("figures must be finite: " + Arrays.toString(series));
        }
        return find(series, 0);
    }

    /** Searches a part of a series. {@code from} is the part's offset in the series. */
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

    /** The position of a division, and the distance between its two sides. */
    private record Division(int at, double distance) {}

    /** The pairwise distances of the figures in one part of a series. Confined to one thread. */
    private static final class Energy {
        private final double[][] distances;

        /**
         * Sums of distances over rectangles that begin at the first row and column. Only rectangles that are at least
         * as wide as they are high are computed.
         */
        private final double[][] sums;

        private final int[] order;

        /** Weight of the distances within the first side, by the lengths of both sides. */
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
                for (int other = 1; other <= n; other++) {
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

        /**
         * Returns the position with the greatest distance between the figures before it and the figures after it. The
         * second side may end before the end of the part.
         */
        Division best() {
            int n = order.length;
            for (int i = 0; i < n; i++) {
                double[] of = distances[order[i]];
                double[] before = sums[i];
                double[] upTo = sums[i + 1];
                // Distances are symmetric, so the entries of a row before the diagonal equal the entries above the
                // diagonal in the column of the same number.
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
         * withinLeft / left² - withinRight / right². The product is multiplied out, because most of the running time is
         * spent here and divisions would take most of that time.
         */
        private double distance(int at, int to) {
            int right = to - at;
            double withinLeft = sums[at][at];
            double between = sums[at][to] - withinLeft;
            double withinRight = sums[to][to] - 2 * between - withinLeft;
            return across[to] * between - within[at][right] * withinLeft - within[right][at] * withinRight;
        }

        /** Estimates the probability that a random order of the figures has at least as good a division. */
        double p(Division found) {
            SplittableRandom random = new SplittableRandom(order.length);
            // Tolerates rounding, because a series with few distinct figures has many equally good orders.
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
