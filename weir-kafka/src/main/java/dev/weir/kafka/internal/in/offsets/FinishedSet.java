package dev.weir.kafka.internal.in.offsets;

import java.util.Arrays;

/** A set of finished offsets, stored as runs of consecutive offsets. Immutable. */
public final class FinishedSet {

    public static final FinishedSet EMPTY = new FinishedSet(new long[0]);

    /** The bounds of the runs, in ascending order: first offset (inclusive) and end (exclusive) of each run. */
    private final long[] bounds;

    private FinishedSet(long[] bounds) {
        this.bounds = bounds;
    }

    public boolean isEmpty() {
        return bounds.length == 0;
    }

    public int runs() {
        return bounds.length / 2;
    }

    public long from(int run) {
        return bounds[2 * run];
    }

    /** Returns the offset after the last offset of the run. */
    public long to(int run) {
        return bounds[2 * run + 1];
    }

    public boolean contains(long offset) {
        int at = Arrays.binarySearch(bounds, offset);
        // A bound at an even index starts a run. If the offset is not a bound, `at` is -(insertion point) - 1, which is
        // even inside a run.
        return (at & 1) == 0;
    }

    /** Returns whether the set contains every offset from {@code from} (inclusive) to {@code to} (exclusive). */
    public boolean contains(long from, long to) {
        int at = Arrays.binarySearch(bounds, from);
        int run = at >= 0 ? at : -at - 2;
        // Even indexes hold the first offsets of runs.
        return run >= 0 && (run & 1) == 0 && to <= bounds[run + 1];
    }

    /** Returns whether this set contains all offsets of the other set. */
    public boolean containsAll(FinishedSet other) {
        int run = 0;
        for (int i = 0; i < other.runs(); i++) {
            while (run < runs() && to(run) < other.to(i)) {
                run++;
            }
            if (run == runs() || from(run) > other.from(i)) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether the set contains no offset at or after {@code offset}. */
    public boolean isBefore(long offset) {
        return bounds.length == 0 || bounds[bounds.length - 1] <= offset;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FinishedSet set && Arrays.equals(bounds, set.bounds);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bounds);
    }

    @Override
    public String toString() {
        return Arrays.toString(bounds);
    }

    /** Collects runs in ascending order. Confined to one thread; may be used only once. */
    public static final class Builder {

        private long[] bounds = new long[16];
        private int size;

        /**
         * Adds the offsets from {@code from} (inclusive) to {@code to} (exclusive). None may be lower than an offset
         * added earlier.
         */
        public void add(long from, long to) {
            if (from < 0 || to <= from || (size > 0 && from < bounds[size - 1])) {
                throw new IllegalArgumentException("not an ascending run: from=" + from + " to=" + to);
            }
            if (size > 0 && from == bounds[size - 1]) {
                bounds[size - 1] = to;
                return;
            }
            if (size == bounds.length) {
                bounds = Arrays.copyOf(bounds, size * 2);
            }
            bounds[size++] = from;
            bounds[size++] = to;
        }

        /** Adds the offsets of {@code set} that are at or after {@code offset}. */
        public void addFrom(FinishedSet set, long offset) {
            for (int run = 0; run < set.runs(); run++) {
                if (set.to(run) > offset) {
                    add(Math.max(set.from(run), offset), set.to(run));
                }
            }
        }

        public int runs() {
            return size / 2;
        }

        public FinishedSet build() {
            return size == 0 ? EMPTY : new FinishedSet(Arrays.copyOf(bounds, size));
        }
    }
}
