package dev.weir.kafka.internal.in.fetch;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A bounded queue from one thread to another. One thread puts and another takes; any thread may {@link #close}. Several
 * queues can share a signal, which lets one thread wait for all of them.
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

    /** Waits for capacity and adds the element. Returns false after {@link #close}. */
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

    /** Takes the oldest element, or returns null. Does not wait. */
    @Nullable
    T take() {
        T item = items.poll();
        if (item != null) {
            room.release();
        }
        return item;
    }

    /** Ends all waits for capacity. Later calls of {@link #put} add nothing. */
    void close() {
        closed = true;
        room.release();
    }

    /** Wakes a waiting thread. If no thread waits, the next wait ends immediately. */
    static final class Signal {

        private final Semaphore signals = new Semaphore(0);

        /**
         * Ends the current or next wait. May be called from any thread. The waiting thread sees the caller's earlier
         * writes.
         */
        void raise() {
            // One permit is enough to end the next wait.
            if (signals.availablePermits() == 0) {
                signals.release();
            }
        }

        /** Waits for the signal. Only one thread may wait. An interrupt ends the wait and stays set. */
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
