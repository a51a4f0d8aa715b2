package dev.weir.stream.internal.ack;

import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Guards the elements that a stage holds between two pulls. The stage's thread processes the elements between
 * {@link #beginWork} and {@link #endWork}. At other times, any thread may drop revoked elements. Thread-safe.
 */
public final class RevocableElements {

    private final Supplier<Batch<?>> takeRevoked;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition revocation = lock.newCondition();

    // Guarded by the lock.
    private boolean atWork;
    private boolean isCalled;

    /**
     * True if {@link #dropRevoked} was called while the stage was working. {@link #endWork} then drops the elements.
     */
    private boolean missed;

    /**
     * Creates a guard.
     *
     * @param takeRevoked removes and returns the revoked elements; never called while the stage processes the elements
     */
    public RevocableElements(Supplier<Batch<?>> takeRevoked) {
        this.takeRevoked = takeRevoked;
    }

    /**
     * Denies other threads access to the elements until {@link #endWork}. When a stage closes, it calls this method
     * without a later {@code endWork}.
     */
    public void beginWork() {
        lock.lock();
        try {
            atWork = true;
        } finally {
            lock.unlock();
        }
    }

    /** Lets other threads access the elements until the next {@link #beginWork}. */
    public void endWork() {
        boolean again;
        lock.lock();
        try {
            atWork = false;
            again = missed;
            missed = false;
        } finally {
            lock.unlock();
        }
        if (again) {
            dropRevoked();
        }
    }

    /**
     * Drops the revoked elements and wakes the stage if it is waiting. If the stage is processing its elements, the
     * stage drops them later. May be called from any thread; never blocks.
     */
    public void dropRevoked() {
        Batch<?> revoked;
        lock.lock();
        try {
            isCalled = true;
            revocation.signal();
            if (atWork) {
                missed = true;
                return;
            }
            revoked = takeRevoked.get();
        } finally {
            lock.unlock();
        }
        revoked.dropAllRevoked();
    }

    /**
     * Runs {@code search} on the elements. Returns null while the stage is processing them. May be called from any
     * thread.
     */
    public <X> @Nullable X find(Supplier<? extends @Nullable X> search) {
        lock.lock();
        try {
            return atWork ? null : search.get();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until the given time or the next {@link #dropRevoked}. Returns immediately if {@link #dropRevoked} was
     * called since the last wait. Must not be called while the stage is processing the elements.
     *
     * @return whether {@link #dropRevoked} was called
     */
    public boolean awaitCall(Clock clock, long untilNanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!isCalled && !clock.hasPassed(untilNanos)) {
                clock.await(lock, revocation, untilNanos);
            }
            boolean was = isCalled;
            isCalled = false;
            return was;
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether {@link #dropRevoked} was called since the last call or wait. */
    public boolean wasCalled() {
        lock.lock();
        try {
            boolean was = isCalled;
            isCalled = false;
            return was;
        } finally {
            lock.unlock();
        }
    }
}
