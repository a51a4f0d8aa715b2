package dev.weir.lean.internal.threads;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * A lock for copying a record, taken once per record: one atomic operation to lock, none to unlock. Not reentrant, not
 * fair; its holder must not wait.
 *
 * <p>Unlocking a {@code ReentrantLock} checks for waiters, and first has to wait until all earlier writes are visible.
 * If a record was copied into uncached memory, that takes longer than the copy. Here unlocking checks nothing: waiters
 * poll.
 */
public final class ShortLock {

    private static final VarHandle HELD;

    /** Number of spins that take as long as a copy or two. */
    private static final int SPINS = 200;

    /** A holder that takes longer has lost its processor. */
    private static final long ASK_AGAIN_NANOS = 20_000;

    static {
        try {
            HELD = MethodHandles.lookup().findVarHandle(ShortLock.class, "held", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("unused") // through HELD
    private boolean held;

    /** Waits without a limit, whether or not the thread is interrupted. */
    public void lock() {
        if (!HELD.weakCompareAndSetAcquire(this, false, true)) {
            lockLater();
        }
    }

    private void lockLater() {
        for (int asked = 0; !isFree() || !HELD.weakCompareAndSetAcquire(this, false, true); asked++) {
            if (asked < SPINS) {
                Thread.onSpinWait();
            } else {
                // Returns at once for an interrupted thread, and polls again.
                LockSupport.parkNanos(this, ASK_AGAIN_NANOS);
            }
        }
    }

    private boolean isFree() {
        return !(boolean) HELD.getOpaque(this);
    }

    /** Releases the lock. Called by the thread that holds it. */
    public void unlock() {
        HELD.setRelease(this, false);
    }
}
