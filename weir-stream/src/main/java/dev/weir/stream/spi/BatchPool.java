package dev.weir.stream.spi;

import java.util.concurrent.locks.ReentrantLock;

/**
 * The arrays of batches that were {@linkplain Batch#release released}, for the source that fills the next. Thread-safe:
 * one stage takes, any thread gives back.
 *
 * <p>Each {@link #take} makes a new {@link Batch} around old arrays, and a release takes them out of it. So a batch that
 * somebody still uses after its release is empty and says so by an exception, and a second release does nothing: neither
 * can reach the elements of the batch that has the arrays now.
 */
public final class BatchPool {

    // Never waits: where the lock is taken, a new array or a lost one costs less than a parked thread.

    /** Spares kept: a boundary's default buffer in flight, and some. */
    private static final int MAX_SPARES = 8;

    /**
     * Each of that many times, arrays that come back are let go. In G1 a store into an array that has grown old costs
     * several times one into a young array (its card is marked behind a fence), so arrays must not live to grow old: so
     * they live some milliseconds, and what is allocated is still next to nothing. See ADR 6.
     */
    private static final int RETURNS_PER_LOSS = 64;

    private final int capacity;
    private final ReentrantLock lock = new ReentrantLock();

    // Under the lock.
    private final Object[][] spareValues = new Object[MAX_SPARES][];
    private final long[][] spareTokens = new long[MAX_SPARES][];
    private int spares;
    private int returns;

    /** Creates a pool of batches of {@link Batch#DEFAULT_CAPACITY}. */
    public BatchPool() {
        this(Batch.DEFAULT_CAPACITY);
    }

    /**
     * Creates an empty pool.
     *
     * @param capacity how many elements a batch has room for, at least 1
     */
    public BatchPool(int capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException("a batch must have room for 1 element: capacity=" + capacity);
        }
        this.capacity = capacity;
    }

    /** An empty batch, which belongs to the caller. */
    public <T> Batch<T> take() {
        if (lock.tryLock()) {
            try {
                if (spares > 0) {
                    spares--;
                    return new Batch<>(spareValues[spares], spareTokens[spares], this);
                }
            } finally {
                lock.unlock();
            }
        }
        return new Batch<>(new Object[capacity], Batch.NO_TOKENS, this);
    }

    /** Takes in the arrays of a batch; {@code values} holds nothing but nulls. */
    void giveBack(Object[] values, long[] tokens) {
        if (values.length == capacity && lock.tryLock()) {
            try {
                if (spares < MAX_SPARES && ++returns % RETURNS_PER_LOSS != 0) {
                    spareValues[spares] = values;
                    spareTokens[spares] = tokens;
                    spares++;
                }
            } finally {
                lock.unlock();
            }
        }
    }
}
