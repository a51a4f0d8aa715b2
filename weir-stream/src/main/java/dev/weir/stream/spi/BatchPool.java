package dev.weir.stream.spi;

import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A pool of {@linkplain Batch#release released} batches, from which a source takes the next batch to fill. Thread-safe:
 * one stage takes batches, and any thread may return them.
 *
 * <p>A batch that the taking thread releases is reused as it is, so a pipeline with one thread has a single batch. If
 * another thread releases a batch, only its arrays are reused. See ADR 41.
 */
public final class BatchPool {

    // The pool never waits for the lock. If the lock is taken, allocating or losing an array costs less than parking a
    // thread.
    //
    // Arrays are reused only until the next garbage collection, because storing a reference in an old array is several
    // times slower with G1. See ADR 6.

    /** Maximum number of spare arrays. Enough for an asynchronous boundary with the default buffer. */
    private static final int MAX_SPARES = 8;

    private final int capacity;
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private final Object[][] spareValues = new Object[MAX_SPARES][];
    private final long[][] spareTokens = new long[MAX_SPARES][];
    private int spares;
    /** The epoch in which all spare arrays were created. */
    private CollectionEpoch sparesMadeIn = CollectionEpoch.current();

    /**
     * The first thread that took a batch. Written once. Other threads may read a stale null, but only the owner can
     * read a reference to itself.
     */
    private @Nullable Thread owner;

    // Accessed only by the owner thread.
    private @Nullable Batch<?> own;
    private Object[] ownValues = Batch.NO_VALUES;
    private long[] ownTokens = Batch.NO_TOKENS;

    /** Creates a pool of batches with {@link Batch#DEFAULT_CAPACITY} elements. */
    public BatchPool() {
        this(Batch.DEFAULT_CAPACITY);
    }

    /**
     * Creates an empty pool.
     *
     * @param capacity number of elements in a batch, at least 1
     */
    public BatchPool(int capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException("a batch must have room for 1 element: capacity=" + capacity);
        }
        this.capacity = capacity;
    }

    /** Takes an empty batch, which belongs to the caller. */
    public <T> Batch<T> take() {
        Thread taker = Thread.currentThread();
        if (owner == null) {
            owner = taker;
        }
        Batch<T> batch = owner == taker ? takeOwn() : null;
        return batch != null ? batch : takeSpare();
    }

    @SuppressWarnings("unchecked") // the batch is empty
    private <T> @Nullable Batch<T> takeOwn() {
        Batch<?> batch = own;
        own = null;
        if (batch == null || batch.madeIn == null || batch.madeIn.isOver()) {
            return null;
        }
        batch.equip(ownValues, ownTokens, this, batch.madeIn);
        return (Batch<T>) batch;
    }

    private <T> Batch<T> takeSpare() {
        Batch<T> batch = new Batch<>();
        if (lock.tryLock()) {
            try {
                if (sparesMadeIn.isOver()) {
                    dropSpares();
                }
                if (spares > 0) {
                    spares--;
                    batch.equip(spareValues[spares], spareTokens[spares], this, sparesMadeIn);
                    return batch;
                }
            } finally {
                lock.unlock();
            }
        }
        batch.equip(new Object[capacity], Batch.NO_TOKENS, this, CollectionEpoch.current());
        return batch;
    }

    /**
     * Takes back the arrays of a batch. {@code values} must contain only nulls, and {@code batch} must not refer to
     * them.
     */
    void giveBack(Batch<?> batch, Object[] values, long[] tokens) {
        CollectionEpoch madeIn = batch.madeIn;
        if (values.length != capacity || madeIn == null || madeIn.isOver()) {
            return;
        }
        if (owner == Thread.currentThread() && own == null) {
            own = batch;
            ownValues = values;
            ownTokens = tokens;
        } else if (lock.tryLock()) {
            try {
                if (madeIn != sparesMadeIn) {
                    dropSpares();
                    sparesMadeIn = madeIn;
                }
                if (spares < MAX_SPARES) {
                    spareValues[spares] = values;
                    spareTokens[spares] = tokens;
                    spares++;
                }
            } finally {
                lock.unlock();
            }
        }
    }

    private void dropSpares() {
        while (spares > 0) {
            spares--;
            spareValues[spares] = Batch.NO_VALUES;
            spareTokens[spares] = Batch.NO_TOKENS;
        }
    }
}
