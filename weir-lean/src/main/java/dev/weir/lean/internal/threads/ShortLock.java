package dev.weir.lean.internal.threads;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * A lock to hold while copying a record. It is taken once per record, and therefore needs only one atomic operation to
 * lock and none to unlock. Not reentrant and not fair. The thread that holds it must not wait.
 *
 * <p>When a {@code ReentrantLock} is unlocked, it waits until all earlier writes are visible, and then checks for
 * waiting threads. If a record was copied into memory that is not in the CPU's cache, that wait takes longer than the
 * copy. This lock checks nothing when it is unlocked. Instead, waiting threads poll the lock.
 */
public final class ShortLock {

    private static final VarHandle HELD;

    /** The number of spins that take about as long as copying one or two records. */
    private static final int SPINS = 200;

    /**
     * The polling interval after these spins. If the holder needs longer than that, the operating system has suspended
     * it.
     */
    private static final long ASK_AGAIN_NANOS = 20_000;

    static {
        try {
            HELD = MethodHandles.lookup().findVarHandle(ShortLock.class, "held", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("unused") // accessed through HELD
    private boolean held;

    /** Acquires the lock. Waits without a time limit, even if the thread is interrupted. */
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
                // The call returns at once if the thread is interrupted. The loop then polls more often.
                LockSupport.parkNanos(this, ASK_AGAIN_NANOS);
            }
        }
    }

    private boolean isFree() {
        return !(boolean) HELD.getOpaque(this);
    }

    /** Releases the lock. Must be called by the thread that holds it. */
    public void unlock() {
        HELD.setRelease(this, false);
    }
}
