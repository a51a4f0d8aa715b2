package dev.weir.lean.internal.threads;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * A lock held only while copying one record. Every record acquires the lock, so the lock is designed to be cheap.
 * Acquiring it takes a single atomic operation, and releasing it takes none. Not reentrant and not fair. The holder
 * must not block.
 *
 * <p>Releasing a {@code ReentrantLock} is more expensive. The releasing thread first waits until all of its earlier
 * writes are visible, and then checks for waiting threads. If a record was copied into memory outside the CPU's cache,
 * this wait takes longer than the copy. Releasing this lock does not check for waiting threads. Instead, the waiting
 * threads poll the lock.
 */
public final class ShortLock {

    private static final VarHandle HELD;

    /** The number of spins that take about as long as copying one or two records. */
    private static final int SPINS = 200;

    /**
     * The polling interval after {@link #SPINS} attempts. A holder that needs this long has probably been suspended by
     * the operating system.
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
                // If the thread is interrupted, this call returns immediately and the loop polls without pauses.
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
