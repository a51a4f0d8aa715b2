package dev.weir.lean.internal.producer;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/** Lets callers wait for progress of the producer's thread. Thread-safe. */
final class ProducerProgress {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** Written under the lock, which {@link #tell} does not take while there is no waiter. */
    private volatile int waiting;

    /**
     * Waits until a condition holds.
     *
     * @param condition reads volatile state that is written before {@link #tell}
     * @return whether it holds; false after the timeout
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

    /** Makes waiting callers check again. */
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
