package dev.weir.bench.workload;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Selects the points of a grid that are needed to find where a verdict changes. Confined to one thread; used once.
 *
 * <p>The corners of the grid are run first. If all corners of a box have the same verdict, its inside is left out.
 * Otherwise, the box is halved along its longest side until that side is one step. A verdict that differs only inside
 * such a left-out box is missed.
 */
public final class Refinement {
    private final int[] sizes;
    private final Map<Integer, String> verdicts = new HashMap<>(); // by index in the grid
    private final Deque<Box> open = new ArrayDeque<>();
    private Set<Integer> asked = Set.of();

    /** A box, given by two opposite corners. Both corners belong to the box. */
    private static final class Box {
        private final int[] from;
        private final int[] to;

        Box(int[] from, int[] to) {
            this.from = from;
            this.to = to;
        }
    }

    /**
     * Creates the refinement of a grid.
     *
     * @param sizes the number of values of each dimension
     */
    public Refinement(List<Integer> sizes) {
        this.sizes = sizes.stream().mapToInt(size -> size).toArray();
        int[] to = this.sizes.clone();
        for (int dimension = 0; dimension < to.length; dimension++) {
            to[dimension]--;
        }
        open.add(new Box(new int[to.length], to));
    }

    /**
     * Returns the grid indexes of the points to run next; empty if no more are needed. Their verdicts must be passed to
     * {@link #tell}.
     */
    public Set<Integer> next() {
        Set<Integer> wanted = new LinkedHashSet<>();
        List<Box> left = new ArrayList<>(open);
        open.clear();
        while (!left.isEmpty()) {
            Box box = left.removeLast();
            List<Integer> corners = corners(box);
            List<Integer> unknown = corners.stream()
                    .filter(corner -> !verdicts.containsKey(corner))
                    .toList();
            if (!unknown.isEmpty()) {
                wanted.addAll(unknown);
                open.add(box);
            } else if (corners.stream().map(verdicts::get).distinct().count() > 1) {
                halve(box, left);
            }
        }
        asked = wanted;
        return wanted;
    }

    /**
     * Reports the verdict at an index that was returned by {@link #next}.
     *
     * @throws IllegalArgumentException if the index was not requested
     */
    public void tell(int place, String verdict) {
        if (!asked.contains(place)) {
            throw new IllegalArgumentException("an answer for place " + place + " was not requested");
        }
        verdicts.put(place, Objects.requireNonNull(verdict));
    }

    private static void halve(Box box, List<Box> into) {
        int longest = 0;
        for (int dimension = 1; dimension < box.from.length; dimension++) {
            if (box.to[dimension] - box.from[dimension] > box.to[longest] - box.from[longest]) {
                longest = dimension;
            }
        }
        int length = box.to[longest] - box.from[longest];
        if (length > 1) {
            int[] end = box.to.clone();
            int[] begin = box.from.clone();
            end[longest] = begin[longest] = box.from[longest] + length / 2;
            into.add(new Box(box.from, end));
            into.add(new Box(begin, box.to));
        }
    }

    private List<Integer> corners(Box box) {
        Set<Integer> corners = new LinkedHashSet<>();
        for (int which = 0; which < 1 << sizes.length; which++) {
            int[] corner = box.from.clone();
            for (int dimension = 0; dimension < sizes.length; dimension++) {
                if ((which >> dimension & 1) != 0) {
                    corner[dimension] = box.to[dimension];
                }
            }
            corners.add(Design.gridIndex(sizes, corner));
        }
        return List.copyOf(corners);
    }
}
