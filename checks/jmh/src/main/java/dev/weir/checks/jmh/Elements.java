package dev.weir.checks.jmh;

import java.util.Iterator;
import java.util.NoSuchElementException;

/**
 * The input of every contender. The numbers are boxed beforehand, so all allocations of a run are the contender's own.
 * Immutable.
 */
final class Elements implements Iterable<Integer> {

    /** The elements per run. The start of a pipeline (about 50 us) adds 0.1 ns to each. */
    static final int COUNT = 1 << 19;

    private static final int TABLE_SIZE = 1 << 17;
    private static final Integer[] TABLE = new Integer[TABLE_SIZE];

    static {
        for (int i = 0; i < TABLE_SIZE; i++) {
            TABLE[i] = i;
        }
    }

    private final int count;
    private final int distinct;

    /**
     * Creates numbers from 0 upward, starting over after {@code distinct} of them.
     *
     * @param count the number of elements
     * @param distinct the number of distinct numbers, a power of two, at most 131,072
     */
    Elements(int count, int distinct) {
        this.count = count;
        this.distinct = distinct;
    }

    /** Returns {@link #COUNT} elements with 512 distinct numbers, which fit into the processor's cache. */
    static Elements few() {
        return new Elements(COUNT, 512);
    }

    /** Returns one of 512 numbers that were boxed beforehand. */
    static Integer boxed(int number) {
        return TABLE[number & 511];
    }

    /** Returns a number below 131,072 that was boxed beforehand. */
    static Integer number(int number) {
        return TABLE[number];
    }

    @Override
    public Iterator<Integer> iterator() {
        return new Iterator<>() {
            private int next;

            @Override
            public boolean hasNext() {
                return next < count;
            }

            @Override
            public Integer next() {
                if (next >= count) {
                    throw new NoSuchElementException();
                }
                return TABLE[next++ & (distinct - 1)];
            }
        };
    }
}
