package dev.weir.stream.internal.chunk;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Signals the puller that the oldest batch is done, either at once or later, together with the batches after it. A
 * delayed signal is sent after at most 4 ms by a timed check, which is repeated only while needed. Guarded by its
 * owner's lock.
 */
final class HeadSignal {

    private static final long LOOK_MILLIS = 2;

    /**
     * The JDK's own thread for delays. A check takes only a moment there; on a pool it could be queued behind the very
     * work that it is meant to help.
     */
    private static final Executor LATER =
            CompletableFuture.delayedExecutor(LOOK_MILLIS, TimeUnit.MILLISECONDS, Runnable::run);

    private final ReentrantLock lock;
    private final Condition signal;
    private final Supplier<@Nullable Object> doneHead;

    private boolean isLookDue;

    /** True if a later signal was requested since the last check. */
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
