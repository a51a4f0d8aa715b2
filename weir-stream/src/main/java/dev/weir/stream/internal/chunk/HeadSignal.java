package dev.weir.stream.internal.chunk;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Wakes the pulling thread when the oldest batch is done. {@link #now} signals immediately. {@link #later} waits up to
 * 4 ms, so that one signal can cover several batches. While a signal is delayed, a timer checks every 2 ms. Guarded by
 * the stage's lock.
 */
final class HeadSignal {

    private static final long LOOK_MILLIS = 2;

    /** Runs the checks directly on the JDK's timer thread. In a thread pool, a check could wait behind the handlers. */
    private static final Executor LATER =
            CompletableFuture.delayedExecutor(LOOK_MILLIS, TimeUnit.MILLISECONDS, Runnable::run);

    private final ReentrantLock lock;
    private final Condition signal;
    private final Supplier<@Nullable Object> doneHead;

    private boolean isLookDue;

    private boolean isLookedFor;

    /** The oldest batch, if the last check found it done but did not signal; otherwise null. */
    private @Nullable Object seen;

    /**
     * Creates a signal.
     *
     * @param doneHead returns the oldest batch if it is done, otherwise null; called while holding the lock
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
     * Signals if the oldest batch was already done at the previous check. If not, a busy pulling thread may take the
     * batch without a signal.
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
                LATER.execute(this::look);
            }
        } finally {
            lock.unlock();
        }
    }
}
