package dev.weir.stream.internal.chunk;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Signals the puller that the oldest batch is done: at once, or later together with batches behind it. Later means
 * after at most 4 ms, by a timed check that is repeated only while needed. Guarded by the lock of its owner.
 */
final class HeadSignal {

    private static final long LOOK_MILLIS = 2;

    /**
     * The JDK's own thread for delays. A check takes it only a moment; on a pool it could queue behind the work it
     * should help.
     */
    private static final Executor LATER =
            CompletableFuture.delayedExecutor(LOOK_MILLIS, TimeUnit.MILLISECONDS, Runnable::run);

    private final ReentrantLock lock;
    private final Condition signal;
    private final Supplier<@Nullable Object> doneHead;

    private boolean isLookDue;

    /** True if a later signal was requested since the last check. */
    private boolean isLookedFor;

    /** The object seen done at the last check and not yet signalled. */
    private @Nullable Object seen;

    /**
     * Creates a signal.
     *
     * @param doneHead returns the oldest batch if it is done and wanted, else null; called under the lock
     */
    HeadSignal(ReentrantLock lock, Supplier<@Nullable Object> doneHead) {
        this.lock = lock;
        this.signal = lock.newCondition();
        this.doneHead = doneHead;
    }

    /** The condition to wait on. */
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
     * Signals if the oldest batch was done at the previous check already and nobody has taken it. A busy puller will
     * come by itself.
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
                // Signalled here, which saves waking the delay thread.
                LATER.execute(this::look);
            }
        } finally {
            lock.unlock();
        }
    }
}
