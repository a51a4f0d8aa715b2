package dev.weir.stream.internal.boundary;

import dev.weir.stream.internal.ack.EachAcknowledgement;
import dev.weir.stream.internal.run.FailureTransfer;
import dev.weir.stream.internal.run.TaskGroup;
import dev.weir.stream.internal.waiting.ArrivalWaits;
import dev.weir.stream.internal.waiting.WaitHabit;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A buffer between two threads: the upstream thread puts batches, and the downstream thread takes them. Thread-safe. A
 * subclass determines how elements are stored; its methods are called while holding the lock and must not block.
 *
 * <p>An exchange is open until it is ended or cancelled. After the end, stored elements can still be taken. A
 * cancellation abandons stored elements, and further batches are refused.
 */
public abstract class BatchExchange<I, O> {

    private final Clock clock;
    protected final ReentrantLock lock = new ReentrantLock();

    private final Condition mayPut = lock.newCondition();
    private final ArrivalWaits mayTake = new ArrivalWaits(lock);

    // Guarded by the lock.
    private boolean awaited;

    /** The {@link WaitHabit} of the thread that last woke the downstream thread. */
    private @Nullable WaitHabit upperHabit;

    private boolean ended;
    private @Nullable Throwable failure;
    private boolean cancelled;
    private int uncounted;

    /** Number of calls of {@link #dropRevoked}. */
    private long revocations;

    protected BatchExchange(Clock clock) {
        this.clock = clock;
    }

    /** Returns whether a batch may be put now. If not, the upstream thread waits. */
    protected abstract boolean hasRoom();

    /**
     * Stores a batch, which then belongs to the exchange. If this throws, elements that were not stored stay in the
     * batch.
     */
    protected abstract void takeIn(Batch<I> batch);

    protected abstract boolean hasOutput();

    /** Returns a non-empty batch. Called only if {@link #hasOutput} is true. */
    protected abstract Batch<O> handOut();

    /** Removes and returns all stored elements. */
    protected abstract List<Batch<?>> removeAll();

    /** Removes and returns the revoked elements, which the caller must drop. */
    protected Batch<?> removeRevoked() {
        return new Batch<>(0);
    }

    protected abstract int size();

    protected final boolean isAwaited() {
        return awaited;
    }

    /**
     * Waits for room, then stores the batch without its revoked elements. Returns false if the exchange was cancelled.
     */
    public final boolean put(Batch<I> batch, StageMeter meter) throws InterruptedException {
        ArrivalWaits.enterInterruptibly(lock);
        try {
            if (!hasRoom() && !cancelled) {
                meter.beginBlockedDown(1);
                try {
                    do {
                        long before = revocations;
                        clock.await(lock, mayPut, Stage.NEVER);
                        if (revocations != before) {
                            dropRevokedOf(batch);
                        }
                    } while (!hasRoom() && !cancelled && !batch.isEmpty());
                } finally {
                    meter.endBlockedDown();
                }
            }
            if (cancelled) {
                return false;
            }
            if (!batch.isEmpty()) {
                uncounted += batch.size();
                takeIn(batch);
                if (mayTake.call()) {
                    noteWoken();
                }
            }
            if (hasRoom()) {
                // Wake the next waiting thread. A take wakes only one thread, even if it made room for several batches.
                mayPut.signal();
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Drops revoked elements of a batch that waits for room. Called with the lock held; releases it while dropping. */
    private void dropRevokedOf(Batch<I> batch) {
        Batch<?> revoked = batch.removeRevoked();
        if (!revoked.isEmpty()) {
            lock.unlock();
            try {
                revoked.dropAllRevoked();
            } finally {
                lock.lock();
            }
        }
    }

    /**
     * Records in the calling thread's {@link WaitHabit} that it has woken the downstream thread. The calling thread
     * then parks without spinning at its next wait.
     */
    private void noteWoken() {
        upperHabit = TaskGroup.currentHabit();
        if (upperHabit != null) {
            upperHabit.wokeAnother();
        }
    }

    /** Stores the batch if the exchange is open and has room, without waiting. */
    public final boolean offer(Batch<I> batch) {
        ArrivalWaits.enter(lock);
        try {
            boolean taken = !ended && hasRoom();
            if (taken) {
                uncounted += batch.size();
                takeIn(batch);
                boolean ignored = mayTake.call();
            }
            return taken;
        } finally {
            lock.unlock();
        }
    }

    /** Ends the exchange, normally if {@code cause} is null. Only the first call has an effect. */
    public final void end(@Nullable Throwable cause) {
        lock.lock();
        try {
            if (!ended) {
                ended = true;
                failure = cause;
                mayTake.callAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Waits for a batch. Returns null at the end, and an empty batch at the deadline. Throws an upstream failure. */
    public final @Nullable Batch<O> take(long deadlineNanos, StageMeter meter) throws InterruptedException {
        ArrivalWaits.enterInterruptibly(lock);
        try {
            if (!hasOutput() && !ended) {
                meter.beginBlockedUp();
                try {
                    if (!awaitOutput(deadlineNanos)) {
                        return new Batch<>(0);
                    }
                } finally {
                    meter.endBlockedUp();
                }
            }
            meter.in(uncounted);
            uncounted = 0;
            if (hasOutput()) {
                Batch<O> batch = handOut();
                meter.out(batch.size());
                mayPut.signal();
                return batch;
            }
            if (failure != null) {
                throw FailureTransfer.rethrowFromAbove(failure);
            }
            return null;
        } finally {
            lock.unlock();
        }
    }

    private boolean awaitOutput(long deadlineNanos) throws InterruptedException {
        awaited = true;
        WaitHabit habit = TaskGroup.currentHabit();
        try {
            while (!hasOutput() && !ended) {
                if (clock.hasPassed(deadlineNanos)) {
                    return false;
                }
                mayTake.await(clock, deadlineNanos, habit, upperHabit);
            }
            return true;
        } finally {
            awaited = false;
        }
    }

    /** Drops the stored elements that their source no longer owns. */
    public final void dropRevoked() {
        Batch<?> revoked;
        lock.lock();
        try {
            revocations++;
            revoked = removeRevoked();
            mayPut.signalAll();
        } finally {
            lock.unlock();
        }
        revoked.dropAllRevoked();
    }

    public final void cancel() {
        EachAcknowledgement.of(giveUp(), Batch::abandonAll);
    }

    /** Refuses further puts and returns the stored elements, which then belong to the caller. */
    final List<Batch<?>> giveUp() {
        lock.lock();
        try {
            cancelled = true;
            ended = true;
            mayPut.signalAll();
            mayTake.callAll();
            return removeAll();
        } finally {
            lock.unlock();
        }
    }

    public final int depth() {
        lock.lock();
        try {
            return size();
        } finally {
            lock.unlock();
        }
    }
}
