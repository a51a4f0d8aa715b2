package dev.weir.stream.internal.chunk;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Signals the puller that the oldest batch is done. {@link #now} signals at once. {@link #later} delays the signal by
 * at most 4 ms, so that one signal can cover several batches; a timed check, which is repeated only while needed, sends
 * it. Guarded by its owner's lock.
 */
final class HeadSignal {

    private static final long LOOK_MILLIS = 2;

    /**
     * Runs checks on the JDK's own thread for delays, where a check takes only a moment. On a pool, a check could be
     * queued behind the very work whose results it must signal.
     */
    private static final Executor LATER =
            CompletableFuture.delayedExecutor(LOOK_MILLIS, TimeUnit.MILLISECONDS, Runnable::run);

    private final ReentrantLock lock;
    private final Condition signal;
    private final Supplier<@Nullable Object> doneHead;

    private boolean isLookDue;

    /** True if {@link #later} was called since the last check. */
    private boolean isLookedFor;

    /** The batch found done by the last check and not yet signalled; null if there is none. */
    private @Nullable Object seen;

    /**
     * Creates a signal.
     *
     * @param doneHead returns the oldest batch if it is done and wanted, otherwise null; called while holding the lock
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
     * Signals if the oldest batch was already done at the previous check and has not been taken. A busy puller will
     * find it without a signal.
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
                // Scheduling the next check from the delay thread itself saves waking that thread.
                LATER.execute(this::look);
            }
        } finally {
            lock.unlock();
        }
    }
}
