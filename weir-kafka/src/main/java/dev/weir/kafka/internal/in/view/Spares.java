package dev.weir.kafka.internal.in.view;

import java.util.ArrayDeque;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Objects to be reused instead of making new ones. Thread-safe. An object that is never returned is simply not reused.
 */
public final class Spares<T> {

    private final int most;
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private final ArrayDeque<T> spares = new ArrayDeque<>();

    /** Creates a store for at most {@code most} objects. */
    public Spares(int most) {
        this.most = most;
    }

    /** Takes the object returned last, or null. */
    public @Nullable T take() {
        lock.lock();
        try {
            return spares.poll();
        } finally {
            lock.unlock();
        }
    }

    /** Returns an object, which the caller no longer uses. */
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
