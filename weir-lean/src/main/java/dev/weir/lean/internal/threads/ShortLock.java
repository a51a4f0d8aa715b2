package dev.weir.lean.internal.threads;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * A lock that is held for the copy of a record and taken for each: one atomic step to take it, none to give it back.
 * Not reentrant, not fair; nobody may wait while holding it.
 *
 * <p>Who gives a {@code ReentrantLock} back looks whether somebody waits, and has to wait itself for all that it has
 * written to be visible first; of a record that was copied into memory that no cache has, that is longer than the copy.
 * Here nobody looks: who waits asks again by itself.
 */
public final class ShortLock {

    private static final VarHandle HELD;

    /** As long as a copy or two take. */
    private static final int SPINS = 200;

    /** Whoever holds it for longer has lost its processor. */
    private static final long ASK_AGAIN_NANOS = 20_000;

    static {
        try {
            HELD = MethodHandles.lookup().findVarHandle(ShortLock.class, "held", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("unused") // by HELD
    private boolean held;

    /** Waits without a limit, whether or not it is interrupted. */
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
                // Returns at once to who was interrupted, and goes on asking.
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
