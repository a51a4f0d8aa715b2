package dev.weir.kafka.internal.in.view;

import java.util.ArrayDeque;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A bounded pool of reusable objects. Thread-safe. */
public final class Spares<T> {

    private final int most;
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private final ArrayDeque<T> spares = new ArrayDeque<>();

    public Spares(int most) {
        this.most = most;
    }

    /** Takes the object that was returned last; null if there is none. */
    public @Nullable T take() {
        lock.lock();
        try {
            return spares.poll();
        } finally {
            lock.unlock();
        }
    }

    /** Returns an object to the pool, unless the pool is full. The caller must not use it afterwards. */
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
