package dev.weir.stream.internal.chunk;

import dev.weir.stream.internal.failure.FailureVerdict;
import dev.weir.stream.spi.Batch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A batch whose elements several workers divide among themselves. Thread-safe: each element is given to exactly one
 * worker, and {@link #isDone} is seen only after all their writes.
 */
final class WorkerBatch<T> {

    /** Stands for the number of unfinished elements after the batch was abandoned. */
    private static final int ABANDONED = -1;

    final Batch<T> batch;
    private final int size;
    private final int chunkSize;
    private final AtomicInteger nextUnclaimed = new AtomicInteger();
    private final AtomicInteger unfinished;
    private final ReentrantLock failing = new ReentrantLock();

    /** The first element that failed, past the last if none did: what is behind it need not be worked on. */
    private volatile int failedAt;

    private volatile @Nullable Throwable failure;

    /** True if a {@link FailureVerdict} stands in the place of some element. */
    volatile boolean hasDropped;

    /** Nobody will pull the batch. */
    private volatile boolean cancelled;

    WorkerBatch(Batch<T> batch, int wantedChunks) {
        this.batch = batch;
        this.size = batch.size();
        this.chunkSize = Math.ceilDiv(size, wantedChunks);
        this.unfinished = new AtomicInteger(size);
        this.failedAt = size;
    }

    /** Elements that it began with. */
    int size() {
        return size;
    }

    int chunks() {
        return Math.ceilDiv(size, chunkSize);
    }

    boolean hasUnclaimed() {
        return nextUnclaimed.get() < size;
    }

    /** Claims a chunk and returns its first index, or -1 if all are claimed. */
    int claim() {
        // Looking first keeps the counter from running away under many late workers.
        if (!hasUnclaimed()) {
            return -1;
        }
        int from = nextUnclaimed.getAndAdd(chunkSize);
        return from < size ? from : -1;
    }

    boolean isClaimed(int index) {
        return index < nextUnclaimed.get();
    }

    int endOf(int from) {
        return Math.min(size, from + chunkSize);
    }

    /** Returns whether the element at {@code index} is still wanted: nothing before it has failed. */
    boolean isWanted(int index) {
        return index < failedAt;
    }

    /** Reports that an element failed; of several the first in the batch counts. */
    void fail(int index, Throwable cause) {
        failing.lock();
        try {
            if (index < failedAt) {
                failure = cause;
                failedAt = index;
            }
        } finally {
            failing.unlock();
        }
    }

    /** Returns the failure of the first failed element; null if none failed. */
    @Nullable
    Throwable failure() {
        return failure;
    }

    /**
     * Closes the gaps of dropped elements and cuts off what failed and all behind it, abandoned. For a batch that is
     * done.
     */
    void trim() {
        int to = failedAt;
        abandonFrom(to);
        int kept = to;
        if (hasDropped) {
            kept = 0;
            for (int i = 0; i < to; i++) {
                if (!(batch.get(i) instanceof FailureVerdict)) {
                    if (kept < i) {
                        batch.move(i, kept);
                    }
                    kept++;
                }
            }
        }
        if (kept < size) {
            batch.truncate(kept);
        }
    }

    /** Reports elements as worked on; true for the call that completes the batch. */
    boolean finished(int elements) {
        boolean last = unfinished.addAndGet(-elements) == 0;
        if (last) {
            abandonIfCancelled();
        }
        return last;
    }

    boolean isDone() {
        return unfinished.get() == 0;
    }

    /**
     * Says that nobody will pull the batch: it is abandoned once all who work on it have ended. Nobody claims any of it
     * from now on.
     */
    void cancel() {
        cancelled = true;
        int unclaimed = 0;
        int from;
        while ((from = claim()) >= 0) {
            unclaimed += endOf(from) - from;
        }
        if (unclaimed == 0 || !finished(unclaimed)) {
            abandonIfCancelled();
        }
    }

    /** Whoever ends the last work and whoever cancels both come here, each after its own write: one of them does it. */
    private void abandonIfCancelled() {
        if (cancelled && unfinished.compareAndSet(0, ABANDONED)) {
            abandonFrom(0);
        }
    }

    private void abandonFrom(int first) {
        for (int i = first; i < size; i++) {
            // A dropped element has been settled.
            if (!(batch.get(i) instanceof FailureVerdict)) {
                batch.target(i).abandon(batch.token(i));
            }
        }
    }
}
