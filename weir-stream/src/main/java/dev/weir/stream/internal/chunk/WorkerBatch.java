package dev.weir.stream.internal.chunk;

import dev.weir.stream.internal.failure.FailureVerdict;
import dev.weir.stream.spi.Batch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A batch whose elements several workers process together. Thread-safe. Each element goes to one worker.
 * {@link #isDone} becomes true after the writes of all workers are visible.
 */
final class WorkerBatch<T> {

    private static final int ABANDONED = -1;

    final Batch<T> batch;
    private final int size;
    private final int chunkSize;
    private final AtomicInteger nextUntaken = new AtomicInteger();
    private final AtomicInteger unfinished;
    private final ReentrantLock failing = new ReentrantLock();

    /** Index of the first failed element, or the size if none failed. Later elements need no processing. */
    private volatile int failedAt;

    private volatile @Nullable Throwable failure;

    /** True if a {@link FailureVerdict} has replaced at least one element. */
    volatile boolean hasDropped;

    /** True if the batch will never be pulled. */
    private volatile boolean cancelled;

    WorkerBatch(Batch<T> batch, int wantedChunks) {
        this.batch = batch;
        this.size = batch.size();
        this.chunkSize = Math.ceilDiv(size, wantedChunks);
        this.unfinished = new AtomicInteger(size);
        this.failedAt = size;
    }

    int size() {
        return size;
    }

    int chunks() {
        return Math.ceilDiv(size, chunkSize);
    }

    boolean hasUntaken() {
        return nextUntaken.get() < size;
    }

    /** Takes a chunk and returns its first index, or -1 if all are taken. */
    int takeChunk() {
        // Check first, so that late workers do not increase the counter without bound.
        if (!hasUntaken()) {
            return -1;
        }
        int from = nextUntaken.getAndAdd(chunkSize);
        return from < size ? from : -1;
    }

    boolean isTaken(int index) {
        return index < nextUntaken.get();
    }

    int endOf(int from) {
        return Math.min(size, from + chunkSize);
    }

    /** Returns whether no element before {@code index} has failed. */
    boolean isWanted(int index) {
        return index < failedAt;
    }

    /** Stores the failure of an element. The failure of the lowest index wins. */
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

    @Nullable
    Throwable failure() {
        return failure;
    }

    /**
     * Removes dropped elements, and abandons the first failed element and all elements after it. Called for a batch
     * that is done.
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

    /** Counts processed elements. Returns true for the call that completes the batch. */
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

    /** Cancels the batch: no more chunks can be taken. The batch is abandoned when the last worker has left it. */
    void cancel() {
        cancelled = true;
        int untaken = 0;
        int from;
        while ((from = takeChunk()) >= 0) {
            untaken += endOf(from) - from;
        }
        if (untaken == 0 || !finished(untaken)) {
            abandonIfCancelled();
        }
    }

    /** Abandons a cancelled batch once. Called by the last worker and by the cancelling thread. */
    private void abandonIfCancelled() {
        if (cancelled && unfinished.compareAndSet(0, ABANDONED)) {
            abandonFrom(0);
        }
    }

    private void abandonFrom(int first) {
        for (int i = first; i < size; i++) {
            // Dropped elements have already been settled.
            if (!(batch.get(i) instanceof FailureVerdict)) {
                batch.target(i).abandon(batch.token(i));
            }
        }
    }
}
