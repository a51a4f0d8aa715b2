package dev.weir.stream.internal.ack;

import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Guards elements that a stage holds between two pulls and that may be revoked in the meantime. The stage's thread
 * processes the elements between {@link #beginWork} and {@link #endWork}; at any other time another thread may drop
 * revoked elements. Thread-safe.
 */
public final class RevocableElements {

    private final Supplier<Batch<?>> takeRevoked;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition revocation = lock.newCondition();

    // Guarded by the lock.
    private boolean atWork;
    private boolean isCalled;

    /**
     * True if {@link #dropRevoked} was called while the stage was working. The stage's thread then drops the revoked
     * elements in {@link #endWork}.
     */
    private boolean missed;

    /**
     * Creates a guard for the elements of a stage.
     *
     * @param takeRevoked removes and returns the revoked elements; never called while the stage processes the elements
     */
    public RevocableElements(Supplier<Batch<?>> takeRevoked) {
        this.takeRevoked = takeRevoked;
    }

    /**
     * Denies other threads access to the elements until {@link #endWork} is called. When the stage closes, it calls
     * only this method, so that other threads never access the elements again.
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
     * Drops the elements that their source no longer owns, and wakes the stage if it is waiting. If the stage is
     * processing the elements, leaves the dropping to the stage. May be called from any thread; never blocks.
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
     * Runs {@code search} on the elements and returns its result, or returns null while the stage is processing the
     * elements. May be called from any thread.
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
     * Waits until the given time or until {@link #dropRevoked} is called. Returns immediately if {@link #dropRevoked}
     * has been called since the last wait. Must not be called while the stage is processing the elements.
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

    /** Returns whether {@link #dropRevoked} has been called since the last call of this method or the last wait. */
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
