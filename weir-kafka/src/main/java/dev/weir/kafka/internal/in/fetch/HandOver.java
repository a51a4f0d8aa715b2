package dev.weir.kafka.internal.in.fetch;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Hands elements from one thread to another in their order, a bounded number at a time. One thread puts, another one
 * takes; {@link #close} is for any. Who takes may have several of these with one bell, at which it waits for any of
 * them.
 */
final class HandOver<T> {

    private final Queue<T> items = new ConcurrentLinkedQueue<>();
    private final Semaphore room;
    private final Bell bell;

    private volatile boolean closed;

    /**
     * An empty one.
     *
     * @param capacity at least 1
     * @param bell rung when something was put
     */
    HandOver(int capacity, Bell bell) {
        this.room = new Semaphore(capacity);
        this.bell = bell;
    }

    /** Waits for room and puts; returns false, and has put nothing, once it is closed. */
    boolean put(T item) throws InterruptedException {
        room.acquire();
        if (closed) {
            room.release(); // For the next one who asks.
            return false;
        }
        items.add(item);
        bell.ring();
        return true;
    }

    /** Takes the oldest one, or null; never waits. */
    @Nullable
    T take() {
        T item = items.poll();
        if (item != null) {
            room.release();
        }
        return item;
    }

    /** Ends the wait for room, now and from now on; how much room there is means nothing any more. */
    void close() {
        closed = true;
        room.release();
    }

    /** Wakes one waiting thread when any other rings: a ring that nobody waits for ends the next wait. */
    static final class Bell {

        private final Semaphore rings = new Semaphore(0);

        /** Any thread. What was done before is seen by whoever waits, after the wait. */
        void ring() {
            // One that is there already, nobody has looked yet at what it is about: enough, and they stay few.
            if (rings.availablePermits() == 0) {
                rings.release();
            }
        }

        /** One thread. An interrupt ends it, and stays set. */
        void await(long nanos) {
            try {
                if (rings.tryAcquire(nanos, TimeUnit.NANOSECONDS)) {
                    rings.drainPermits();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
