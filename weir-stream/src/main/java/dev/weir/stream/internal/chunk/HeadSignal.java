package dev.weir.stream.internal.chunk;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Tells the thread that pulls the stage when the oldest batch is done. {@link #now} signals immediately. {@link #later}
 * delays the signal by at most 4 ms, so that one signal can cover several batches. A timer checks for a delayed signal
 * every 2 ms, and stops when there is nothing left to check. Guarded by the stage's lock.
 */
final class HeadSignal {

    private static final long LOOK_MILLIS = 2;

    /**
     * Runs the checks directly on the JDK's timer thread, because a check takes very little time. On a thread pool, a
     * check could be queued behind the work whose results it must signal.
     */
    private static final Executor LATER =
            CompletableFuture.delayedExecutor(LOOK_MILLIS, TimeUnit.MILLISECONDS, Runnable::run);

    private final ReentrantLock lock;
    private final Condition signal;
    private final Supplier<@Nullable Object> doneHead;

    private boolean isLookDue;

    /** True if {@link #later} was called since the last check. */
    private boolean isLookedFor;

    /** The oldest batch, if the last check found it done but did not signal it; otherwise null. */
    private @Nullable Object seen;

    /**
     * Creates a signal.
     *
     * @param doneHead returns the oldest batch if it is done and should be signalled, otherwise null; called while
     *     holding the lock
     */
    HeadSignal(ReentrantLock lock, Supplier<@Nullable Object> doneHead) {
        this.lock = lock;
        this.signal = lock.newCondition();
        this.doneHead = doneHead;
    }

    Condition condition() {
        return signal;
    }

    void now() {
        signal.signal();
    }

    void later() {
        isLookedFor = true;
        if (!isLookDue) {
            isLookDue = true;
            LATER.execute(this::look);
        }
    }

    /**
     * Signals if the oldest batch was already done at the previous check and has not been taken since. A batch that was
     * done only recently is not signalled yet, because the pulling thread, if it is busy, will find the batch without a
     * signal.
     */
    private void look() {
        lock.lock();
        try {
            Object done = doneHead.get();
            if (done != null && done == seen) {
                signal.signal();
                done = null;
            }
            seen = done;
            isLookDue = done != null || isLookedFor;
            isLookedFor = false;
            if (isLookDue) {
                // Scheduling from the timer thread itself avoids waking that thread for the next check.
                LATER.execute(this::look);
            }
        } finally {
            lock.unlock();
        }
    }
}
