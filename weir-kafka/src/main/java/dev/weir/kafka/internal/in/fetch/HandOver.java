package dev.weir.kafka.internal.in.fetch;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A bounded queue that passes elements from one thread to another. One thread puts and another takes; any thread may
 * {@link #close}. Several instances can share one signal, so that the thread that takes from them can wait for any of
 * them.
 */
final class HandOver<T> {

    private final Queue<T> items = new ConcurrentLinkedQueue<>();
    private final Semaphore room;
    private final Signal signal;

    private volatile boolean closed;

    /**
     * Creates an empty queue.
     *
     * @param capacity at least 1
     * @param signal raised after each put
     */
    HandOver(int capacity, Signal signal) {
        this.room = new Semaphore(capacity);
        this.signal = signal;
    }

    /** Waits for capacity and adds the element. Returns false, without adding it, after {@link #close}. */
    boolean put(T item) throws InterruptedException {
        room.acquire();
        if (closed) {
            room.release(); // the next caller must not wait, either
            return false;
        }
        items.add(item);
        signal.raise();
        return true;
    }

    /** Takes the oldest element without waiting; null if there is none. */
    @Nullable
    T take() {
        T item = items.poll();
        if (item != null) {
            room.release();
        }
        return item;
    }

    /** Ends the current wait for capacity and all later waits. From then on, {@link #put} adds nothing. */
    void close() {
        closed = true;
        room.release();
    }

    /**
     * Wakes one waiting thread when another thread raises the signal. If no thread is waiting, the next wait ends
     * immediately.
     */
    static final class Signal {

        private final Semaphore signals = new Semaphore(0);

        /**
         * Ends the current or next wait. May be called from any thread. Writes made before the call are visible to the
         * waiting thread after its wait.
         */
        void raise() {
            // If there is a permit already, it ends the next wait. A second permit would end another wait without
            // reason.
            if (signals.availablePermits() == 0) {
                signals.release();
            }
        }

        /**
         * Waits for the signal. Only one thread may call this. An interrupt ends the wait, and the thread's interrupt
         * status stays set.
         */
        void await(long nanos) {
            try {
                if (signals.tryAcquire(nanos, TimeUnit.NANOSECONDS)) {
                    signals.drainPermits();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
