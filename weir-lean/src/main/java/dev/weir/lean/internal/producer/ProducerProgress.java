package dev.weir.lean.internal.producer;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/** Lets callers wait for progress of the producer's thread. Thread-safe. */
final class ProducerProgress {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** Number of waiting callers, written under the lock. {@link #tell} acquires the lock only if there are any. */
    private volatile int waiting;

    /**
     * Waits until a condition is true.
     *
     * @param condition must depend only on volatile state written before {@link #tell} is called
     * @return true if the condition is true; false if the timeout has expired
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

    /** Wakes waiting callers to check their conditions. */
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
