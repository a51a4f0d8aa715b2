package dev.weir.stream.testing;

import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.AbstractQueuedSynchronizer;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A clock that stands still until a test advances it, for {@link dev.weir.stream.Pipeline#on}. Thread-safe.
 *
 * <p>{@link #advance} wakes the stages whose deadlines have passed. They continue on their own threads, so a test must
 * wait for an effect, such as an element at a {@link SinkProbe}. Each advance is a single jump, even over several
 * deadlines. Before an advance, a test must call {@link SourceProbe#awaitPull} or {@link #awaitWaiters} to make sure
 * that the stages are waiting.
 */
public final class VirtualClock implements Clock {

    /** The longest advance. Deadlines are compared by their difference, which must fit in a long. */
    private static final Duration FARTHEST = Duration.ofDays(36_500);

    private record Waiter(Lock lock, Condition condition, long deadlineNanos) {}

    private final ReentrantLock guard = new ReentrantLock();
    private final Condition changed = guard.newCondition();

    // Guarded by the guard.
    private final Map<Thread, Waiter> waiters = new HashMap<>();
    private long waits;

    private final AtomicLong nowNanos = new AtomicLong();

    /** Creates a clock whose time is 0. */
    public VirtualClock() {}

    @Override
    public long nanoTime() {
        return nowNanos.get();
    }

    @Override
    @SuppressWarnings("WaitNotInLoop") // the caller's loop checks hasPassed
    public void await(Lock lock, Condition condition, long deadlineNanos) throws InterruptedException {
        Waiter waiter = new Waiter(lock, condition, deadlineNanos);
        guard.lock();
        try {
            // Check under the guard: an earlier `advance` has set the time, and a later one finds this waiter.
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
            // No signal is lost: `advance` signals only while it holds the caller's lock, which `await` releases.
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
     * Advances the time and wakes the threads whose deadlines have passed.
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

    /** The earliest future time for which a stage is waiting, or {@link Stage#NEVER}. */
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

    /** Waits until at least {@code count} stages are waiting for a future time. */
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

    /** Returns the number of threads that wait for a future time. */
    private long waitersForTime() {
        return waiters.values().stream()
                .filter(waiter -> waiter.deadlineNanos != Stage.NEVER && !hasPassed(waiter.deadlineNanos))
                .count();
    }

    // ---- For the rest probe ----------------------------------------------------------------------------------------

    /** Number of waits started on this clock. */
    long waits() {
        guard.lock();
        try {
            return waits;
        } finally {
            guard.unlock();
        }
    }

    /** Returns whether a waiting thread has been signalled and only needs a processor to continue. */
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
            // The thread is interrupted, or the lock's holder may be about to signal it.
            return true;
        }
        try {
            // A signalled thread leaves the condition's queue at once, but stays in `waiters` until it runs again. Only
            // the lock's own conditions have such a queue.
            return condition instanceof AbstractQueuedSynchronizer.ConditionObject
                    && lock.getWaitQueueLength(condition) < waitersFor(condition);
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
