package dev.weir.stream.internal.boundary;

import dev.weir.stream.internal.run.Failures;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.StageMeter;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A queue of batches bounded by their elements. Thread-safe: any number of threads may put and take.
 *
 * <p>It is open, then ended (all that was put still comes out, then the end or the failure), or cancelled (what is
 * inside is dropped without acknowledgement, puts are refused). A batch is taken in when there is room for one element,
 * so the queue holds at most its capacity and one batch.
 */
public final class BoundaryQueue<T> {

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
    public BoundaryQueue(int capacity, Clock clock) {
        if (capacity < 1) {
            throw new IllegalArgumentException("a boundary's buffer must hold at least 1 element: " + capacity);
        }
        this.capacity = capacity;
        this.clock = clock;
    }

    /** Waits for room, then takes in the batch. Returns false if the queue was cancelled. */
    public boolean put(Batch<T> batch, StageMeter meter) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            if (elements >= capacity && !cancelled) {
                long start = System.nanoTime();
                do {
                    notFull.await();
                } while (elements >= capacity && !cancelled);
                meter.blockedDown(System.nanoTime() - start);
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

    /** Takes the batch in if there is room now and the queue is open. */
    public boolean offer(Batch<T> batch) {
        lock.lock();
        try {
            boolean taken = elements < capacity && !ended;
            if (taken) {
                batches.add(batch);
                elements += batch.size();
                notEmpty.signal();
            }
            return taken;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Ends the queue, normally if {@code cause} is null. What was put still comes out before it. The first end counts.
     */
    public void end(@Nullable Throwable cause) {
        lock.lock();
        try {
            if (!ended) {
                ended = true;
                failure = cause;
                notEmpty.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Waits for a batch; null at the end, an empty one at the deadline. Throws what the upper segment failed with. */
    @Nullable
    public Batch<T> take(long deadlineNanos, StageMeter meter) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            if (batches.isEmpty() && !ended) {
                long start = System.nanoTime();
                boolean inTime = awaitBatch(deadlineNanos);
                meter.blockedUp(System.nanoTime() - start);
                if (!inTime) {
                    return new Batch<>(0);
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

    /** Refuses what is put from now on, and gives back what is inside. */
    public List<Batch<T>> cancel() {
        lock.lock();
        try {
            cancelled = true;
            ended = true;
            List<Batch<T>> left = List.copyOf(batches);
            batches.clear();
            elements = 0;
            notFull.signalAll();
            notEmpty.signalAll();
            return left;
        } finally {
            lock.unlock();
        }
    }

    /** The number of elements inside. */
    public int depth() {
        lock.lock();
        try {
            return elements;
        } finally {
            lock.unlock();
        }
    }
}
