package dev.weir.kafka.internal.in.fetch;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Hands elements from one thread to another in order, with bounded capacity. One thread puts, another takes; any thread
 * may {@link #close}. A taker may have several of these with one signal, and wait at it for any of them.
 */
final class HandOver<T> {

    private final Queue<T> items = new ConcurrentLinkedQueue<>();
    private final Semaphore room;
    private final Signal signal;

    private volatile boolean closed;

    /**
     * Creates an empty hand-over.
     *
     * @param capacity at least 1
     * @param signal raised after each put
     */
    HandOver(int capacity, Signal signal) {
        this.room = new Semaphore(capacity);
        this.signal = signal;
    }

    /** Waits for capacity and puts. Returns false, without putting, once it is closed. */
    boolean put(T item) throws InterruptedException {
        room.acquire();
        if (closed) {
            room.release(); // Keeps the permit for the next caller.
            return false;
        }
        items.add(item);
        signal.raise();
        return true;
    }

    /** Takes the oldest element, or null; never waits. */
    @Nullable
    T take() {
        T item = items.poll();
        if (item != null) {
            room.release();
        }
        return item;
    }

    /** Ends the current wait for capacity and all later ones; the permit count is meaningless afterwards. */
    void close() {
        closed = true;
        room.release();
    }

    /** Wakes one waiting thread when any other thread raises it. Raised without a waiter, it ends the next wait. */
    static final class Signal {

        private final Semaphore signals = new Semaphore(0);

        /** Rings. Any thread. Earlier writes are visible to the waiting thread after its wait. */
        void raise() {
            // An existing permit has not been consumed, so it covers this call too and permits stay few.
            if (signals.availablePermits() == 0) {
                signals.release();
            }
        }

        /** Waits. One thread. An interrupt ends the wait, and stays set. */
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
