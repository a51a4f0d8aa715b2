package dev.weir.kafka.internal.in.buffer;

import java.util.Date;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A condition for one waiting thread. It allocates nothing, unlike the conditions of {@link ReentrantLock}. Callers of
 * all methods except {@link #wake} must hold the lock, with a hold count of 1. Waits may end early.
 */
final class OneWaiter implements Condition {

    private final ReentrantLock lock;

    // Guarded by the lock.
    private @Nullable Thread waiter;

    OneWaiter(ReentrantLock lock) {
        this.lock = lock;
    }

    @Override
    public void await() throws InterruptedException {
        long ignored = park(Long.MAX_VALUE);
    }

    @Override
    public long awaitNanos(long nanos) throws InterruptedException {
        return park(nanos);
    }

    private long park(long nanos) throws InterruptedException {
        if (waiter != null) {
            throw new IllegalStateException(waiter + " waits already");
        }
        long start = System.nanoTime();
        waiter = Thread.currentThread();
        lock.unlock();
        try {
            // A signal after the unlock leaves a permit, which ends the park immediately.
            if (nanos == Long.MAX_VALUE) {
                LockSupport.park(this);
            } else {
                LockSupport.parkNanos(this, nanos);
            }
        } finally {
            lock.lock();
            waiter = null;
        }
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        return nanos - (System.nanoTime() - start);
    }

    @Override
    public boolean await(long time, TimeUnit unit) throws InterruptedException {
        return park(unit.toNanos(time)) > 0;
    }

    @Override
    @SuppressWarnings("JavaUtilDate") // the interface declares it
    public boolean awaitUntil(Date deadline) {
        throw new UnsupportedOperationException("waits here are by the clock that does not jump");
    }

    @Override
    public void awaitUninterruptibly() {
        throw new UnsupportedOperationException("waits here can be interrupted");
    }

    @Override
    public void signal() {
        Thread waiting = waiter;
        if (waiting != null) {
            LockSupport.unpark(waiting);
        }
    }

    @Override
    public void signalAll() {
        signal();
    }

    /** Returns the waiting thread, or null. The caller passes it to {@link #wake} after releasing the lock. */
    @Nullable
    Thread waiter() {
        return waiter;
    }

    /** Wakes the given thread, if any. Must be called without holding the lock. */
    static void wake(@Nullable Thread waiting) {
        if (waiting != null) {
            LockSupport.unpark(waiting);
        }
    }
}
