package dev.weir.stream.spi;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The clock that a run's stages use for waiting: the system clock, or one that a test advances. Thread-safe.
 *
 * <p>Deadlines of {@link Stage#pull} are times of the run's clock. Stages wait only through this clock; only meters use
 * system time.
 */
public interface Clock {

    /** The system's clock. */
    Clock SYSTEM = new Clock() {
        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        @SuppressWarnings("WaitNotInLoop") // the caller's loop checks hasPassed
        public void await(Lock lock, Condition condition, long deadlineNanos) throws InterruptedException {
            if (deadlineNanos == Stage.NEVER) {
                condition.await();
            } else {
                long ignored = condition.awaitNanos(deadlineNanos - System.nanoTime());
            }
        }

        @Override
        public String toString() {
            return "Clock.SYSTEM";
        }
    };

    /** The time now, in nanoseconds from an arbitrary origin. */
    long nanoTime();

    /**
     * Waits on a condition until it is signalled or the deadline passes; may return early, as conditions do. The caller
     * holds the lock and checks {@link #hasPassed} afterwards.
     *
     * @param lock the lock that {@code condition} belongs to
     * @param deadlineNanos a time of this clock, or {@link Stage#NEVER}
     */
    void await(Lock lock, Condition condition, long deadlineNanos) throws InterruptedException;

    /** Returns whether {@code deadlineNanos} has passed; always false for {@link Stage#NEVER}. */
    default boolean hasPassed(long deadlineNanos) {
        return deadlineNanos != Stage.NEVER && nanoTime() - deadlineNanos >= 0;
    }

    /** The time {@code nanos} from now, or {@link Stage#NEVER} if the clock cannot count that far. */
    default long after(long nanos) {
        return nanos >= Stage.NEVER / 2 ? Stage.NEVER : nanoTime() + nanos;
    }

    /** Waits until {@code deadlineNanos}. */
    default void sleepUntil(long deadlineNanos) throws InterruptedException {
        ReentrantLock lock = new ReentrantLock();
        Condition never = lock.newCondition();
        lock.lockInterruptibly();
        try {
            while (!hasPassed(deadlineNanos)) {
                await(lock, never, deadlineNanos);
            }
        } finally {
            lock.unlock();
        }
    }
}
