package dev.weir.stream;

import dev.weir.stream.internal.run.ArgumentChecks;
import dev.weir.stream.internal.run.FailureTransfer;
import dev.weir.stream.internal.run.TaskGroup;
import dev.weir.stream.internal.waiting.ArrivalWaits;
import dev.weir.stream.internal.waiting.WaitHabit;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.BatchPool;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageContext;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A bounded queue through which other threads feed a pipeline. See {@link Source#queue}. Thread-safe.
 *
 * <p>Elements may be added before the pipeline runs. A queue feeds one run, and refuses elements once that run has
 * ended or been stopped.
 *
 * <pre>{@code
 * SourceQueue<Order> orders = SourceQueue.of(1000);
 * RunningPipeline running = Source.queue(orders).map(...).to(...).run();
 * switch (orders.offer(order)) {
 *     case SourceQueue.Enqueued enqueued -> accepted();
 *     case SourceQueue.Full full -> tryLater();
 *     case SourceQueue.Closed closed -> gone();
 * }
 * }</pre>
 */
public final class SourceQueue<T> {

    /** The outcome of an offer. */
    public sealed interface Offer {}

    /** The element is in the queue and will reach the pipeline unless the pipeline fails. */
    public record Enqueued() implements Offer {}

    /** The queue had no room. */
    public record Full() implements Offer {}

    /**
     * The queue is closed: it was completed or failed, or the pipeline has ended or been stopped.
     *
     * @param failure the failure that was passed to the queue, or null
     */
    public record Closed(@Nullable Throwable failure) implements Offer {}

    private static final Offer ENQUEUED = new Enqueued();
    private static final Offer FULL = new Full();

    private final int capacity;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition notFull = lock.newCondition();
    private final ArrivalWaits notEmpty = new ArrivalWaits(lock);

    // Guarded by the lock.
    private final ArrayDeque<T> elements = new ArrayDeque<>();
    private boolean closed;
    private @Nullable Throwable failure;
    private boolean attached;

    private SourceQueue(int capacity) {
        this.capacity = capacity;
    }

    /**
     * Creates a queue.
     *
     * @param capacity maximum number of queued elements, at least 1
     */
    public static <T> SourceQueue<T> of(int capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException("capacity must be at least 1 element: capacity=" + capacity);
        }
        return new SourceQueue<>(capacity);
    }

    /** Adds an element if there is room, without waiting. */
    public Offer offer(T element) {
        Objects.requireNonNull(element, "element");
        ArrivalWaits.enter(lock);
        try {
            return offerNow(element);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Adds an element, waiting for room if necessary.
     *
     * @param patience the timeout on the system clock, after which it returns {@link Full}
     */
    public Offer offer(T element, Duration patience) throws InterruptedException {
        Objects.requireNonNull(element, "element");
        long leftNanos = ArgumentChecks.nanos(Objects.requireNonNull(patience, "patience"));
        ArrivalWaits.enterInterruptibly(lock);
        try {
            Offer offer;
            while ((offer = offerNow(element)) == FULL && leftNanos > 0) {
                leftNanos = notFull.awaitNanos(leftNanos);
            }
            return offer;
        } finally {
            lock.unlock();
        }
    }

    private Offer offerNow(T element) {
        if (closed) {
            return new Closed(failure);
        }
        if (elements.size() >= capacity) {
            return FULL;
        }
        elements.add(element);
        boolean ignored = notEmpty.call();
        return ENQUEUED;
    }

    /** Closes the queue. The stream completes after the queued elements. */
    public void complete() {
        close(null);
    }

    /** Closes the queue. The stream fails after the queued elements. */
    public void fail(Throwable cause) {
        close(Objects.requireNonNull(cause, "cause"));
    }

    private void close(@Nullable Throwable cause) {
        lock.lock();
        try {
            if (!closed) {
                closed = true;
                failure = cause;
                notFull.signalAll();
                notEmpty.callAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Number of elements in the queue. */
    public int size() {
        lock.lock();
        try {
            return elements.size();
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether the queue is closed. */
    public boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    Stage<T> attach(StageContext context) {
        lock.lock();
        try {
            if (attached) {
                throw new IllegalStateException("a SourceQueue feeds one run, and has one already");
            }
            attached = true;
        } finally {
            lock.unlock();
        }
        context.depth(this::size);
        context.onStop(this::complete);
        return new Outlet(context);
    }

    private final class Outlet implements Stage<T> {

        private final StageContext context;
        private final BatchPool pool = new BatchPool();

        Outlet(StageContext context) {
            this.context = context;
        }

        @Override
        public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
            ArrivalWaits.enterInterruptibly(lock);
            try {
                awaitElement(deadlineNanos);
                if (!elements.isEmpty()) {
                    return takeAll();
                }
                if (!closed) {
                    return new Batch<>(0);
                }
                if (failure != null) {
                    throw FailureTransfer.rethrow(failure);
                }
                return null;
            } finally {
                lock.unlock();
            }
        }

        private void awaitElement(long deadlineNanos) throws InterruptedException {
            if (elements.isEmpty() && !closed) {
                WaitHabit habit = TaskGroup.currentHabit();
                context.meter().beginBlockedUp();
                try {
                    do {
                        notEmpty.await(context.clock(), deadlineNanos, habit, null);
                    } while (elements.isEmpty() && !closed && !context.clock().hasPassed(deadlineNanos));
                } finally {
                    context.meter().endBlockedUp();
                }
            }
        }

        private Batch<T> takeAll() {
            Batch<T> batch = pool.take();
            int size = Math.min(elements.size(), Batch.DEFAULT_CAPACITY);
            for (int i = 0; i < size; i++) {
                batch.add(elements.remove());
            }
            context.meter().out(size);
            notFull.signalAll();
            return batch;
        }

        /** Refuses further offers and drops the elements in the queue. */
        @Override
        public void close() {
            complete();
            lock.lock();
            try {
                elements.clear();
            } finally {
                lock.unlock();
            }
        }
    }
}
