package dev.weir.stream.internal.chunk;

import dev.weir.stream.internal.run.StageEntry.Kept;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The batches inside a parallel stage, in input order. Guarded by the stage's lock. */
final class ChunkBacklog<T> {

    /** Maximum number of elements in the backlog, enough to keep the workers busy between two batches. */
    private static final int CAPACITY = 8 * Batch.DEFAULT_CAPACITY;

    /** Number of elements at which a full stage accepts batches again. */
    private static final int ROOMY = CAPACITY / 2;

    private final ArrayDeque<WorkerBatch<T>> inOrder = new ArrayDeque<>();
    private final ArrayDeque<WorkerBatch<T>> untaken = new ArrayDeque<>();
    private int elements;

    private int doneElements;

    /** True from reaching the capacity until the backlog has shrunk to {@code ROOMY}. */
    private boolean full;

    void add(WorkerBatch<T> work) {
        inOrder.add(work);
        untaken.add(work);
        elements += work.size();
        full = elements >= CAPACITY;
    }

    boolean isFull() {
        return full;
    }

    boolean isEmpty() {
        return inOrder.isEmpty();
    }

    int elements() {
        return elements;
    }

    @Nullable
    WorkerBatch<T> oldestUntaken() {
        WorkerBatch<T> oldest;
        while ((oldest = untaken.peek()) != null && !oldest.hasUntaken()) {
            untaken.poll();
        }
        return oldest;
    }

    void done(WorkerBatch<T> work) {
        doneElements += work.size();
    }

    int doneElements() {
        return doneElements;
    }

    /** Returns whether it is worth waking the pulling thread. */
    boolean isMuchDone() {
        WorkerBatch<T> newest = untaken.peekLast();
        return newest == null || !newest.hasUntaken() || doneElements >= CAPACITY - ROOMY;
    }

    /** Returns the oldest batch if it is done. */
    @Nullable
    WorkerBatch<T> doneHead() {
        WorkerBatch<T> head = inOrder.peek();
        return head != null && head.isDone() ? head : null;
    }

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

    /** Finds an element in the backlog. */
    @Nullable
    Kept find(AckTarget of, long ofToken) {
        for (WorkerBatch<T> work : inOrder) {
            int index = work.batch.find(of, ofToken);
            if (index >= 0) {
                return new Kept(work.batch.get(index), work.isTaken(index) && !work.isDone());
            }
        }
        return null;
    }
}
