package dev.weir.stream.internal.chunk;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Tells whoever waits for the oldest batch that it is done: now, or later together with those behind it. Later is after
 * 4 ms at the latest, by a look of its own, which goes on only as long as there is something to look after. Guarded by
 * the lock of its owner.
 */
final class HeadSignal {

    private static final long LOOK_MILLIS = 2;

    /**
     * The JDK's own thread for delays. A look keeps it for a moment; on a pool it could wait behind what it is to help.
     */
    private static final Executor LATER =
            CompletableFuture.delayedExecutor(LOOK_MILLIS, TimeUnit.MILLISECONDS, Runnable::run);

    private final ReentrantLock lock;
    private final Condition signal;
    private final Supplier<@Nullable Object> doneHead;

    private boolean isLookDue;

    /** True if something was to be told later since the last look. */
    private boolean isLookedFor;

    /** The object seen done at the last look and not yet reported. */
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
     * Signals if what is done was done at the last look already: nobody came for it meanwhile. Whoever is busy will
     * come.
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
                // From here, where the thread for delays need not be woken for it.
                LATER.execute(this::look);
            }
        } finally {
            lock.unlock();
        }
    }
}
