package dev.weir.kafka.internal.share.member;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Lets one share consumer at a time ask for records when there are none; the others wait until it finds some.
 * Thread-safe.
 *
 * <p>This is not for the sake of load alone. When a process dies, the brokers notice the end of one connection after
 * the other. What the first share consumer had then goes to the request that another dead share consumer has waiting
 * there, and is a delivery more that nobody has seen. With one such request it is one.
 */
final class ScoutingConsumers {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition found = lock.newCondition();

    // Under the lock.
    private @Nullable Object scout;
    private long finds;

    /**
     * Returns whether a share consumer that found nothing may ask again: at once if no other does, else as soon as
     * another has found something.
     *
     * @param nanos how long to wait for that
     */
    boolean mayAsk(Object lane, long nanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            if (scout == null || scout == lane) {
                scout = lane;
                return true;
            }
            long before = finds;
            long left = nanos;
            while (finds == before && scout != null && left > 0) {
                left = found.awaitNanos(left);
            }
            return finds != before;
        } finally {
            lock.unlock();
        }
    }

    /** A share consumer has found records: there may be more. */
    void found(Object lane) {
        lock.lock();
        try {
            finds++;
            release(lane);
        } finally {
            lock.unlock();
        }
    }

    /** A share consumer asks no more. */
    void leave(Object lane) {
        lock.lock();
        try {
            release(lane);
        } finally {
            lock.unlock();
        }
    }

    private void release(Object lane) {
        if (scout == lane) {
            scout = null;
        }
        found.signalAll();
    }
}
