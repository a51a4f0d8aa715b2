package dev.weir.lean.internal.producer;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/** Callers wait here for something that the producer's thread does. Thread-safe. */
final class ProducerProgress {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** Written under the lock: who tells need not take it while nobody waits. */
    private volatile int waiting;

    /**
     * Waits until a condition holds.
     *
     * @param condition of volatile state, which is written before {@link #tell}
     * @return whether it holds; false after so many nanoseconds
     */
    boolean await(BooleanSupplier condition, long nanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            waiting = Math.incrementExact(waiting);
            try {
                long left = nanos;
                while (!condition.getAsBoolean()) {
                    if (left <= 0) {
                        return false;
                    }
                    left = changed.awaitNanos(left);
                }
                return true;
            } finally {
                waiting = Math.decrementExact(waiting);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Lets those who wait look again. */
    void tell() {
        if (waiting > 0) {
            lock.lock();
            try {
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }
}
