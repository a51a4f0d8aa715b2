package dev.weir.checks.jmh;

import java.util.Iterator;
import java.util.NoSuchElementException;

/**
 * The input of every contender: numbers that were boxed beforehand, so that a run's allocations are the contender's
 * own. Immutable.
 */
final class Elements implements Iterable<Integer> {

    /** Elements per run of a pipeline; enough that starting it, some 50 us, costs 0.1 ns each. */
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
     * Numbers from 0, over and over.
     *
     * @param count how many in all
     * @param distinct how many different ones, a power of two, at most 131,072
     */
    Elements(int count, int distinct) {
        this.count = count;
        this.distinct = distinct;
    }

    /** {@link #COUNT} elements, few enough different ones to stay in the cache. */
    static Elements few() {
        return new Elements(COUNT, 512);
    }

    /** Returns a number boxed before, out of 512. */
    static Integer boxed(int number) {
        return TABLE[number & 511];
    }

    /** Returns a number boxed before, less than 131,072. */
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
