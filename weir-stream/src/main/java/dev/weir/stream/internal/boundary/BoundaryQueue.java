package dev.weir.stream.internal.boundary;

import dev.weir.stream.internal.run.Failures;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.StageMeter;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A queue of batches bounded by their elements. Thread-safe: any number of threads may put, one takes.
 *
 * <p>It is open, then ended (all that was put still comes out, then the end or the failure), or cancelled (what is
 * inside is dropped without acknowledgement, puts are refused). A batch is taken in when there is room for one element,
 * so the queue holds at most its capacity and one batch.
 */
final class BoundaryQueue<T> {

    private final int capacity;
    private final Clock clock;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition notFull = lock.newCondition();
    private final Condition notEmpty = lock.newCondition();

    // Under the lock.
    private final ArrayDeque<Batch<T>> batches = new ArrayDeque<>();
    private int elements;
    private boolean ended;
    private @Nullable Throwable failure;
    private boolean cancelled;

    /** Creates an open queue for {@code capacity} elements, at least 1. */
    BoundaryQueue(int capacity, Clock clock) {
        if (capacity < 1) {
            throw new IllegalArgumentException("a boundary's buffer must hold at least 1 element: " + capacity);
        }
        this.capacity = capacity;
        this.clock = clock;
    }

    /** Waits for room, then takes in the batch. Returns false if the queue was cancelled. */
    boolean put(Batch<T> batch, StageMeter meter) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            if (elements >= capacity && !cancelled) {
                meter.beginBlockedDown(1);
                try {
                    do {
                        notFull.await();
                    } while (elements >= capacity && !cancelled);
                } finally {
                    meter.endBlockedDown();
                }
            }
            if (cancelled) {
                return false;
            }
            batches.add(batch);
            elements += batch.size();
            notEmpty.signal();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Ends the queue, normally if {@code cause} is null. What was put still comes out before it. */
    void end(@Nullable Throwable cause) {
        lock.lock();
        try {
            ended = true;
            failure = cause;
            notEmpty.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Waits for a batch; null at the end, an empty one at the deadline. Throws what the upper segment failed with. */
    @Nullable
    Batch<T> take(long deadlineNanos, StageMeter meter) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            if (batches.isEmpty() && !ended) {
                meter.beginBlockedUp();
                try {
                    if (!awaitBatch(deadlineNanos)) {
                        return new Batch<>(0);
                    }
                } finally {
                    meter.endBlockedUp();
                }
            }
            Batch<T> batch = batches.poll();
            if (batch != null) {
                elements -= batch.size();
                notFull.signal();
            } else if (failure != null) {
                throw Failures.rethrowFromAbove(failure);
            }
            return batch;
        } finally {
            lock.unlock();
        }
    }

    private boolean awaitBatch(long deadlineNanos) throws InterruptedException {
        while (batches.isEmpty() && !ended) {
            if (clock.hasPassed(deadlineNanos)) {
                return false;
            }
            clock.await(lock, notEmpty, deadlineNanos);
        }
        return true;
    }

    /** Drops what is inside and refuses what is put from now on. */
    void cancel() {
        lock.lock();
        try {
            cancelled = true;
            ended = true;
            batches.clear();
            elements = 0;
            notFull.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** The number of elements inside. */
    int depth() {
        lock.lock();
        try {
            return elements;
        } finally {
            lock.unlock();
        }
    }
}
