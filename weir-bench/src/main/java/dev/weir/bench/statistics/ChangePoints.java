package dev.weir.bench.statistics;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Finds where a series of figures, one after the other, changes its level. Stateless, thread-safe; the same for the
 * same series.
 *
 * <p>E-divisive (Matteson and James, "A Nonparametric Approach for Multiple Change Point Analysis of Multivariate
 * Data", J. Am. Stat. Assoc. 109, 2014), which continuous benchmarks use (Daly et al., "The Use of Change Point
 * Detection to Identify Software Performance Regressions in a Continuous Integration System", ICPE 2020; Fleming et
 * al., "Hunter", ICPE 2023): the two neighbouring parts of a series whose energy distance is greatest are its
 * candidate, and permutations tell whether luck does as well.
 *
 * <p>Differences from the paper: distances are by V-statistics, whose expectation without a change is the same for
 * parts of any length; U-statistics of three figures vary so much that they hide changes elsewhere. Each part that a
 * change makes is tested by itself. A permutation test ends early once it can only fail (Besag and Clifford,
 * "Sequential Monte Carlo p-values", Biometrika 78, 1991).
 */
public final class ChangePoints {

    /** Smallest number of figures in a level, because one or two may be outliers. */
    public static final int MIN_LENGTH = 3;

    /**
     * Least figures needed to find a change of {@link #MIN_LENGTH} of them. With fewer, chance alone reaches the
     * clearest division too often: 2 of 12 choose 3 orders.
     */
    public static final int FEWEST = 12;

    /** Highest share of series without a change that may be reported as having one. */
    public static final double ALPHA = 0.01;

    private static final int PERMUTATIONS = 4_999;
    private static final int MAX_EXCEEDING = (int) (ALPHA * (PERMUTATIONS + 1));

    private ChangePoints() {}

    /**
     * A part of the series with one level.
     *
     * @param to past its last figure
     * @param level the median of its figures
     */
    public record Segment(int from, int to, double level) {}

    /**
     * The finding.
     *
     * @param segments in their order; a single one if nothing changed
     * @param p how often luck alone divides such a series as well as its best division does; 1 if it is too short for
     *     one
     */
    public record Finding(List<Segment> segments, double p) {}

    /** Finds the changes of a series of finite figures. */
    public static Finding of(double... series) {
        if (!Arrays.stream(series).allMatch(Double::isFinite)) {
            throw new IllegalArgumentException("figures must be finite: " + Arrays.toString(series));
        }
        return find(series, 0);
    }

    /** Searches a part of a series; {@code from} is its offset. */
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

    /** The place of a division, and how far apart its sides are. */
    private record Division(int at, double distance) {}

    /** The distances within one part of a series. Confined to one thread. */
    private static final class Energy {
        private final double[][] distances;

        /** Sums of rectangles from the first row and column on that are at least as wide as high. */
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

        /** Division whose two parts differ most: the figures before a place, and those from there up to another. */
        Division best() {
            int n = order.length;
            for (int i = 0; i < n; i++) {
                double[] of = distances[order[i]];
                double[] before = sums[i];
                double[] upTo = sums[i + 1];
                // Distances are the same both ways: what a row has before the diagonal, the column above it has.
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
         * left * right / (left + right) times the energy distance 2 * across / (left * right) - withinLeft / left² -
         * withinRight / right², multiplied out: most of the time goes here, and divisions would be most of that.
         */
        private double distance(int at, int to) {
            int right = to - at;
            double withinLeft = sums[at][at];
            double between = sums[at][to] - withinLeft;
            double withinRight = sums[to][to] - 2 * between - withinLeft;
            return across[to] * between - within[at][right] * withinLeft - within[right][at] * withinRight;
        }

        /** The probability that figures in a random order have as good a division. */
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
