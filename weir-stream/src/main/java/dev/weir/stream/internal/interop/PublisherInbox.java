package dev.weir.stream.internal.interop;

import dev.weir.stream.internal.run.FailureTransfer;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.StageMeter;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Queues a publisher's elements until the pipeline takes them. Signals may come from any thread. {@link #take},
 * {@link #callPublisher} and {@link #close} must be called on the source's thread, so that the publisher never receives
 * concurrent calls.
 *
 * <p>After the publisher has ended, queued elements can still be taken; {@link #take} then returns null or throws the
 * publisher's failure. Queued elements can also be taken after {@link #stop}. {@link #close} drops them.
 */
final class PublisherInbox<T> implements Flow.Subscriber<T> {

    private final int capacity;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // Guarded by the lock.
    private final ArrayDeque<T> elements = new ArrayDeque<>();
    private Flow.@Nullable Subscription subscription;
    private boolean ended;
    private @Nullable Throwable failure;
    private boolean stopped;
    private boolean closed;

    // Accessed only by the source's thread. `taken` counts elements since the last request.
    private boolean requested;
    private boolean cancelled;
    private int taken;

    /**
     * Creates an inbox.
     *
     * @param capacity maximum number of queued elements, at least 1
     */
    PublisherInbox(int capacity) {
        this.capacity = checkCapacity(capacity);
    }

    static int checkCapacity(int capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException("buffer must hold at least 1 element: buffer=" + capacity);
        }
        return capacity;
    }

    @Override
    public void onSubscribe(Flow.Subscription offered) {
        Objects.requireNonNull(offered, "subscription");
        boolean accepted;
        lock.lock();
        try {
            accepted = subscription == null && !closed && !stopped;
            if (accepted) {
                subscription = offered;
                changed.signal();
            }
        } finally {
            lock.unlock();
        }
        if (!accepted) {
            offered.cancel();
        }
    }

    @Override
    public void onNext(T element) {
        Objects.requireNonNull(element, "element");
        lock.lock();
        try {
            if (ended || stopped || closed) {
                return;
            }
            if (elements.size() < capacity) {
                elements.add(element);
            } else {
                stopped = true;
                failure = new IllegalStateException(
                        "the publisher sent more than was requested: more than buffer=" + capacity + " elements wait");
            }
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void onError(Throwable cause) {
        Objects.requireNonNull(cause, "failure");
        // Wrap an InterruptedException of the publisher. This pipeline was not interrupted.
        end(cause instanceof InterruptedException ? new IllegalStateException("the publisher failed", cause) : cause);
    }

    @Override
    public void onComplete() {
        end(null);
    }

    private void end(@Nullable Throwable cause) {
        lock.lock();
        try {
            if (!ended) {
                ended = true;
                failure = stopped ? failure : cause;
                changed.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Refuses further elements. Queued elements can still be taken. May be called from any thread. */
    void stop() {
        lock.lock();
        try {
            stopped = true;
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for elements. Returns null at the end and an empty batch at the deadline. Throws the publisher's failure.
     */
    @Nullable
    Batch<T> take(long deadlineNanos, Clock clock, StageMeter meter) throws InterruptedException {
        while (true) {
            callPublisher();
            lock.lockInterruptibly();
            try {
                if (isQuiet() && !awaitSignal(deadlineNanos, clock, meter)) {
                    return new Batch<>(0);
                }
                if (!elements.isEmpty()) {
                    return takeOut();
                }
                if (failure != null) {
                    throw FailureTransfer.rethrow(failure);
                }
                if (ended || stopped) {
                    return null;
                }
            } finally {
                lock.unlock();
            }
        }
    }

    /** Returns whether {@link #take} must wait. */
    private boolean isQuiet() {
        return elements.isEmpty() && !ended && !stopped && (requested || subscription == null);
    }

    private boolean awaitSignal(long deadlineNanos, Clock clock, StageMeter meter) throws InterruptedException {
        meter.beginBlockedUp();
        try {
            while (isQuiet()) {
                if (clock.hasPassed(deadlineNanos)) {
                    return false;
                }
                clock.await(lock, changed, deadlineNanos);
            }
            return true;
        } finally {
            meter.endBlockedUp();
        }
    }

    private Batch<T> takeOut() {
        Object[] values = new Object[Math.min(elements.size(), Batch.DEFAULT_CAPACITY)];
        for (int i = 0; i < values.length; i++) {
            values[i] = elements.remove();
        }
        taken += values.length;
        return Batch.unacknowledged(values, values.length);
    }

    /**
     * Sends the publisher its pending signal: the first request, a refill, or a cancellation. Called on the source's
     * thread without the lock, because the publisher may call back.
     */
    void callPublisher() {
        Flow.Subscription to;
        boolean unwanted;
        lock.lock();
        try {
            to = subscription;
            unwanted = stopped;
            if (to == null || ended || cancelled) {
                return;
            }
        } finally {
            lock.unlock();
        }
        if (unwanted) {
            cancelled = true;
            to.cancel();
        } else if (!requested) {
            requested = true;
            to.request(capacity);
        } else if (taken >= capacity - capacity / 2) {
            int refill = taken;
            taken = 0;
            to.request(refill);
        }
    }

    /** Drops the queued elements and cancels the subscription. A subscription that arrives later is cancelled too. */
    void close() {
        Flow.Subscription open = null;
        lock.lock();
        try {
            if (!closed) {
                closed = true;
                elements.clear();
                open = ended || cancelled ? null : subscription;
            }
        } finally {
            lock.unlock();
        }
        if (open != null) {
            cancelled = true;
            open.cancel();
        }
    }

    int depth() {
        lock.lock();
        try {
            return elements.size();
        } finally {
            lock.unlock();
        }
    }
}
