package dev.weir.lean.internal.threads;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * A cheap lock, held only while copying one record. Acquiring it takes one atomic operation, and releasing it takes
 * none. Not reentrant and not fair. The holder must not block.
 *
 * <p>Releasing a {@code ReentrantLock} costs more: the thread waits until its earlier writes are visible, and then
 * checks for waiting threads. Releasing this lock does not check: waiting threads poll the lock.
 */
public final class ShortLock {

    private static final VarHandle HELD;

    /** Number of spins that take about as long as copying one or two records. */
    private static final int SPINS = 200;

    /** Polling interval after {@link #SPINS} attempts. The holder has probably been suspended. */
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

    /** Acquires the lock. Waits without a time limit, even if interrupted. */
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
                // Returns immediately if the thread is interrupted; the loop then polls without pauses.
                LockSupport.parkNanos(this, ASK_AGAIN_NANOS);
            }
        }
    }

    private boolean isFree() {
        return !(boolean) HELD.getOpaque(this);
    }

    public void unlock() {
        HELD.setRelease(this, false);
    }
}
