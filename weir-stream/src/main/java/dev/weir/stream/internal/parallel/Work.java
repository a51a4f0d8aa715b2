package dev.weir.stream.internal.parallel;

import dev.weir.stream.spi.Batch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A batch whose elements several workers divide among themselves. Thread-safe: each element is given to exactly one
 * worker, and {@link #isDone} is seen only after all their writes.
 */
final class Work<T> {

    final Batch<T> batch;
    private final int size;
    private final int chunkSize;
    private final AtomicInteger nextUnclaimed = new AtomicInteger();
    private final AtomicInteger unfinished;

    /** What a worker failed with; the rest of the batch need not be worked on then. */
    volatile @Nullable Throwable failure;

    Work(Batch<T> batch, int wantedChunks) {
        this.batch = batch;
        this.size = batch.size();
        this.chunkSize = Math.ceilDiv(size, wantedChunks);
        this.unfinished = new AtomicInteger(size);
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

    int endOf(int from) {
        return Math.min(size, from + chunkSize);
    }

    /** Reports elements as worked on; true for the call that completes the batch. */
    boolean finished(int elements) {
        return unfinished.addAndGet(-elements) == 0;
    }

    boolean isDone() {
        return unfinished.get() == 0;
    }
}
