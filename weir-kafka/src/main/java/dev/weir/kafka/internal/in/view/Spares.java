package dev.weir.kafka.internal.in.view;

import java.util.ArrayDeque;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Objects that are done with, for those who would make another. Thread-safe. One that is never given back is simply not
 * used again.
 */
public final class Spares<T> {

    private final int most;
    private final ReentrantLock lock = new ReentrantLock();

    // Under the lock.
    private final ArrayDeque<T> spares = new ArrayDeque<>();

    /** Keeps at most so many. */
    public Spares(int most) {
        this.most = most;
    }

    /** The one that was given back last, or null. */
    public @Nullable T take() {
        lock.lock();
        try {
            return spares.poll();
        } finally {
            lock.unlock();
        }
    }

    /** Takes one in, which its giver uses no more. */
    public void give(T done) {
        lock.lock();
        try {
            if (spares.size() < most) {
                spares.push(done);
            }
        } finally {
            lock.unlock();
        }
    }
}
