package dev.weir.bench.workload;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Selects the points at which a campaign runs, from all combinations of its dimensions' values. Stateless. A point is
 * represented by the index of its value in each dimension.
 */
public enum Design {
    /** All points. */
    GRID,
    /** Each value of each dimension, combined with the first values of the other dimensions. */
    ONE_AT_A_TIME,
    /** A small set of points that contains, for any two dimensions, every pair of their values. */
    FRACTIONAL,
    /** All points, except the inside of boxes whose corners all have the same verdict, see {@link Refinement}. */
    ADAPTIVE;

    static List<String> labels() {
        return Arrays.stream(values()).map(Design::label).toList();
    }

    /** The name in workload files. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static Design of(String label) {
        return Arrays.stream(values())
                .filter(design -> design.label().equals(label))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no design " + label));
    }

    /**
     * Returns the points. The first point has the first value in every dimension. The points of {@link #GRID} and
     * {@link #ADAPTIVE} are in the order of {@link #gridIndex}.
     *
     * @param sizes the number of values of each dimension
     */
    List<int[]> points(int[] sizes) {
        return switch (this) {
            case GRID, ADAPTIVE -> grid(sizes);
            case ONE_AT_A_TIME -> oneAtATime(sizes);
            case FRACTIONAL -> fractional(sizes);
        };
    }

    /** Returns the index of a point in the grid, where the first dimension varies fastest. */
    static int gridIndex(int[] sizes, int[] point) {
        int index = 0;
        for (int dimension = sizes.length - 1; dimension >= 0; dimension--) {
            index = index * sizes[dimension] + point[dimension];
        }
        return index;
    }

    private static List<int[]> grid(int[] sizes) {
        List<int[]> points = new ArrayList<>();
        int[] point = new int[sizes.length];
        int dimension;
        do {
            points.add(point.clone());
            for (dimension = 0; dimension < sizes.length && ++point[dimension] == sizes[dimension]; dimension++) {
                point[dimension] = 0;
            }
        } while (dimension < sizes.length);
        return points;
    }

    private static List<int[]> oneAtATime(int[] sizes) {
        List<int[]> points = new ArrayList<>();
        points.add(new int[sizes.length]);
        for (int dimension = 0; dimension < sizes.length; dimension++) {
            for (int value = 1; value < sizes[dimension]; value++) {
                int[] point = new int[sizes.length];
                point[dimension] = value;
                points.add(point);
            }
        }
        return points;
    }

    /**
     * Adds points greedily, as in D. M. Cohen et al., The AETG System (1997). Each step adds the first point of the
     * grid with the most new pairs of values.
     */
    private static List<int[]> fractional(int[] sizes) {
        List<int[]> grid = grid(sizes);
        boolean[] met = new boolean[pairsBefore(sizes, sizes.length)];
        List<int[]> points = new ArrayList<>();
        int most;
        do {
            int[] best = grid.getFirst();
            most = -1;
            for (int[] candidate : points.isEmpty() ? grid.subList(0, 1) : grid) {
                int fresh = meet(sizes, candidate, met, false);
                if (fresh > most) {
                    most = fresh;
                    best = candidate;
                }
            }
            if (most > 0 || points.isEmpty()) {
                meet(sizes, best, met, true);
                points.add(best);
            }
        } while (most > 0);
        return points;
    }

    /**
     * Returns the number of new pairs of values in a point. A pair is new if no earlier point contains both of its
     * values.
     *
     * @param note whether to mark the pairs of this point as contained
     */
    private static int meet(int[] sizes, int[] point, boolean[] met, boolean note) {
        int fresh = 0;
        for (int one = 0; one < sizes.length; one++) {
            // A single dimension is paired with itself.
            for (int other = sizes.length == 1 ? one : one + 1; other < sizes.length; other++) {
                int pair = pairIndex(sizes, one, other, point);
                fresh += met[pair] ? 0 : 1;
                met[pair] |= note;
            }
        }
        return fresh;
    }

    private static int pairIndex(int[] sizes, int one, int other, int[] point) {
        int from = pairsBefore(sizes, one);
        for (int between = one + 1; between < other; between++) {
            from += sizes[one] * sizes[between];
        }
        return from + point[one] * sizes[other] + point[other];
    }

    /** Returns the number of pairs of values whose first dimension has an index below {@code end}. */
    private static int pairsBefore(int[] sizes, int end) {
        if (sizes.length == 1) {
            return end * sizes[0] * sizes[0];
        }
        int pairs = 0;
        for (int one = 0; one < end; one++) {
            for (int other = one + 1; other < sizes.length; other++) {
                pairs += sizes[one] * sizes[other];
            }
        }
        return pairs;
    }
}
