package dev.weir.stream.spi;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The clock that the stages of a run use for waiting: the system clock, or one that a test advances. Thread-safe.
 *
 * <p>The deadlines of {@link Stage#pull} refer to this clock. Meters, which measure work, always use the system clock.
 */
public interface Clock {

    /** The system clock. */
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

    /** The current time, in nanoseconds since an arbitrary origin. */
    long nanoTime();

    /**
     * Waits on a condition until it is signalled or the deadline has passed; may return early. The caller must hold the
     * lock, and must check {@link #hasPassed} afterwards.
     *
     * @param lock the lock to which {@code condition} belongs
     * @param deadlineNanos a time of this clock, or {@link Stage#NEVER}
     */
    void await(Lock lock, Condition condition, long deadlineNanos) throws InterruptedException;

    /** Returns whether {@code deadlineNanos} has passed; always false for {@link Stage#NEVER}. */
    default boolean hasPassed(long deadlineNanos) {
        return deadlineNanos != Stage.NEVER && nanoTime() - deadlineNanos >= 0;
    }

    /** Returns the time {@code nanos} from now, or {@link Stage#NEVER} if it does not fit. */
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
