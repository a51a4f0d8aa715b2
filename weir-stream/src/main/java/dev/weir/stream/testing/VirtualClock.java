package dev.weir.stream.testing;

import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A clock that stands still until a test advances it, for {@link dev.weir.stream.Pipeline#on}. Thread-safe.
 *
 * <p>{@link #advance} wakes the stages whose deadline has come; they run on their own threads, so a test waits for what
 * they do (an element at a {@link SinkProbe}, a completion), never for time. One advance is one jump: a thread that
 * wakes sees the time after it, however many deadlines it passed. Before a test advances it makes sure that the stages
 * have come to the point at which they wait, by {@link SourceProbe#awaitPull} or {@link #awaitWaiters}.
 */
public final class VirtualClock implements Clock {

    /** Deadlines are told apart by their distance, which must fit into a long. */
    private static final Duration FARTHEST = Duration.ofDays(36_500);

    private record Waiter(Lock lock, Condition condition, long deadlineNanos) {}

    private final ReentrantLock guard = new ReentrantLock();
    private final Condition changed = guard.newCondition();

    // Under the guard.
    private final Map<Thread, Waiter> waiters = new HashMap<>();
    private long waits;

    private final AtomicLong nowNanos = new AtomicLong();

    /** Creates a clock at 0. */
    public VirtualClock() {}

    @Override
    public long nanoTime() {
        return nowNanos.get();
    }

    @Override
    @SuppressWarnings("WaitNotInLoop") // the caller's loop asks hasPassed
    public void await(Lock lock, Condition condition, long deadlineNanos) throws InterruptedException {
        Waiter waiter = new Waiter(lock, condition, deadlineNanos);
        guard.lock();
        try {
            // Under the guard, so that an advance either has been seen here or sees the waiter.
            if (hasPassed(deadlineNanos)) {
                return;
            }
            waiters.put(Thread.currentThread(), waiter);
            waits++;
            changed.signalAll();
        } finally {
            guard.unlock();
        }
        try {
            // It signals only after it has the caller's lock, which await gives up.
            condition.await();
        } finally {
            guard.lock();
            try {
                waiters.remove(Thread.currentThread());
            } finally {
                guard.unlock();
            }
        }
    }

    /**
     * Moves the time on and wakes the threads whose deadlines have come.
     *
     * @param by 0 to 36,500 days
     */
    public void advance(Duration by) {
        if (by.isNegative() || by.compareTo(FARTHEST) > 0) {
            throw new IllegalArgumentException("by must be 0 to " + FARTHEST + ", time does not go back: by=" + by);
        }
        List<Waiter> due;
        guard.lock();
        try {
            nowNanos.addAndGet(by.toNanos());
            due = new ArrayList<>(waiters.values());
        } finally {
            guard.unlock();
        }
        for (Waiter waiter : due) {
            if (hasPassed(waiter.deadlineNanos)) {
                waiter.lock.lock();
                try {
                    waiter.condition.signalAll();
                } finally {
                    waiter.lock.unlock();
                }
            }
        }
    }

    /** The first time that has not come and that a stage waits for, or {@link Stage#NEVER}. */
    public long nextDeadlineNanos() {
        guard.lock();
        try {
            long next = Stage.NEVER;
            for (Waiter waiter : waiters.values()) {
                if (!hasPassed(waiter.deadlineNanos)) {
                    next = Math.min(next, waiter.deadlineNanos);
                }
            }
            return next;
        } finally {
            guard.unlock();
        }
    }

    /**
     * Waits until at least {@code count} stages wait for a time that has not come yet. A stage that was woken by
     * something else than time may still count for a moment.
     */
    public void awaitWaiters(int count) throws InterruptedException {
        guard.lockInterruptibly();
        try {
            while (waitersForTime() < count) {
                changed.await();
            }
        } finally {
            guard.unlock();
        }
    }

    /**
     * Returns the number of threads that wait for a time; those whose time has come are about to leave, though they may
     * not have had a processor yet.
     */
    private long waitersForTime() {
        return waiters.values().stream()
                .filter(waiter -> waiter.deadlineNanos != Stage.NEVER && !hasPassed(waiter.deadlineNanos))
                .count();
    }

    // ---- For the rest probe ----------------------------------------------------------------------------------------

    /** The number of times a thread has begun to wait by this clock. */
    long waits() {
        guard.lock();
        try {
            return waits;
        } finally {
            guard.unlock();
        }
    }

    /**
     * Returns whether a thread that waits by this clock has been called, so that it goes on as soon as it has a
     * processor.
     */
    boolean isCalled(Thread thread) {
        Waiter waiter;
        guard.lock();
        try {
            waiter = waiters.get(thread);
        } finally {
            guard.unlock();
        }
        return waiter != null && waiter.lock instanceof ReentrantLock lock && isCalled(thread, lock, waiter.condition);
    }

    private boolean isCalled(Thread thread, ReentrantLock lock, Condition condition) {
        if (thread.isInterrupted() || !lock.tryLock()) {
            // Whoever has the lock may be about to call it.
            return true;
        }
        try {
            // Who is signalled leaves the condition's queue then and there, though its thread may not know yet.
            return lock.getWaitQueueLength(condition) < waitersFor(condition);
        } finally {
            lock.unlock();
        }
    }

    private long waitersFor(Condition condition) {
        guard.lock();
        try {
            return waiters.values().stream()
                    .filter(waiter -> waiter.condition == condition)
                    .count();
        } finally {
            guard.unlock();
        }
    }
}
