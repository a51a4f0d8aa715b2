package dev.weir.stream.internal.chunk;

import dev.weir.stream.internal.run.StageEntry.Kept;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The batches inside a parallel stage, in input order. Guarded by the lock of its owner. */
final class ChunkBacklog<T> {

    /** Maximum number of elements inside, enough to keep the workers busy while the feeder and the puller run. */
    private static final int CAPACITY = 8 * Batch.DEFAULT_CAPACITY;

    /**
     * Number of elements inside at which a full stage takes in more, so that the feeder is not woken for each batch.
     */
    private static final int ROOMY = CAPACITY / 2;

    private final ArrayDeque<WorkerBatch<T>> inOrder = new ArrayDeque<>();
    private final ArrayDeque<WorkerBatch<T>> claimable = new ArrayDeque<>();
    private int elements;

    /** Elements in batches that are done. */
    private int doneElements;

    /** True if the capacity was reached; false again once there is room for a few batches. */
    private boolean full;

    void add(WorkerBatch<T> work) {
        inOrder.add(work);
        claimable.add(work);
        elements += work.size();
        full = elements >= CAPACITY;
    }

    /** Returns whether no batch may be added now. */
    boolean isFull() {
        return full;
    }

    boolean isEmpty() {
        return inOrder.isEmpty();
    }

    int elements() {
        return elements;
    }

    /** The oldest batch with unclaimed elements. */
    @Nullable
    WorkerBatch<T> oldestClaimable() {
        WorkerBatch<T> oldest;
        while ((oldest = claimable.peek()) != null && !oldest.hasUnclaimed()) {
            claimable.poll();
        }
        return oldest;
    }

    /** Records that a batch is done. */
    void done(WorkerBatch<T> work) {
        doneElements += work.size();
    }

    int doneElements() {
        return doneElements;
    }

    /**
     * Returns whether enough is done to wake the puller: enough to make room for more, or everything except batches in
     * flight.
     */
    boolean isMuchDone() {
        WorkerBatch<T> newest = claimable.peekLast();
        return newest == null || !newest.hasUnclaimed() || doneElements >= CAPACITY - ROOMY;
    }

    /** The oldest batch if it is done. */
    @Nullable
    WorkerBatch<T> doneHead() {
        WorkerBatch<T> head = inOrder.peek();
        return head != null && head.isDone() ? head : null;
    }

    /** Removes {@link #doneHead}; null if there is none. */
    @Nullable
    WorkerBatch<T> removeDoneHead() {
        WorkerBatch<T> head = doneHead();
        if (head != null) {
            inOrder.poll();
            elements -= head.size();
            doneElements -= head.size();
            full = full && elements > ROOMY;
        }
        return head;
    }

    List<WorkerBatch<T>> all() {
        return List.copyOf(inOrder);
    }

    /** Finds an element inside; it counts as being processed once its chunk is claimed. */
    @Nullable
    Kept find(AckTarget of, long ofToken) {
        for (WorkerBatch<T> work : inOrder) {
            int index = work.batch.find(of, ofToken);
            if (index >= 0) {
                return new Kept(work.batch.get(index), work.isClaimed(index) && !work.isDone());
            }
        }
        return null;
    }
}
