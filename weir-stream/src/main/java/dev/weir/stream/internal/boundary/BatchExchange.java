package dev.weir.stream.internal.boundary;

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
 * The hand-over between two segments: batches are put by the upper one and other batches taken by the lower one.
 * Thread-safe: any number of threads may put and take. A subclass says what it keeps of what was put; its methods are
 * called under the lock and must not block.
 *
 * <p>It is open, then ended (all that it keeps still comes out, then the end or the failure), or cancelled (what is
 * inside is abandoned, puts are refused).
 */
public abstract class BatchExchange<I, O> {

    private final Clock clock;
    /** Guards all that follows and what a subclass keeps. */
    protected final ReentrantLock lock = new ReentrantLock();

    private final Condition mayPut = lock.newCondition();
    private final ArrivalWaits mayTake = new ArrivalWaits(lock);

    // Under the lock.
    private boolean awaited;

    /** Wait habit of the thread that last woke the lower segment. */
    private @Nullable WaitHabit upperHabit;

    private boolean ended;
    private @Nullable Throwable failure;
    private boolean cancelled;
    private int uncounted;

    /** Calls of {@link #dropRevoked}. */
    private long revocations;

    /** Creates an open exchange. */
    protected BatchExchange(Clock clock) {
        this.clock = clock;
    }

    /** Returns whether a batch may be put now; otherwise the upper segment waits. */
    protected abstract boolean hasRoom();

    /**
     * Takes in a batch, which then belongs to the exchange. What it throws fails the upper segment; then it has left in
     * the batch what it did not take.
     */
    protected abstract void takeIn(Batch<I> batch);

    /** Returns whether there is something to hand out. */
    protected abstract boolean hasOutput();

    /** Hands out a batch that is not empty; called only if there is output. */
    protected abstract Batch<O> handOut();

    /** Takes out what it keeps. */
    protected abstract List<Batch<?>> removeAll();

    /** Takes out what of it was lost by its source, if that can be told; the caller drops it. */
    protected Batch<?> removeRevoked() {
        return new Batch<>(0);
    }

    /** The number of elements inside. */
    protected abstract int size();

    /** Returns whether the lower segment waits for something to be put. */
    protected final boolean isAwaited() {
        return awaited;
    }

    /**
     * Waits for room, then takes in the batch. What its source loses of it meanwhile is dropped. Returns false if the
     * exchange was cancelled.
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
                // A take wakes one, and may have made room for more.
                mayPut.signal();
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Under the lock, which it gives up meanwhile: drops what was lost of a batch that waits for room. */
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

    /** The lower segment runs next where the upper one does, if that makes room. */
    private void noteWoken() {
        upperHabit = TaskGroup.currentHabit();
        if (upperHabit != null) {
            upperHabit.wokeAnother();
        }
    }

    /** Takes the batch in if there is room now and the exchange is open. */
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

    /**
     * Ends the exchange, normally if {@code cause} is null. What it keeps still comes out before that. The first end
     * counts.
     */
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

    /** Waits for a batch; null at the end, an empty one at the deadline. Throws what the upper segment failed with. */
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

    /** Drops what waits inside and was lost by its source. */
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

    /** Abandons what is inside and refuses what is put from now on. */
    public final void cancel() {
        giveUp().forEach(Batch::abandonAll);
    }

    /** Refuses what is put from now on, and takes out what is inside, which then belongs to the caller. */
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

    /** The number of elements inside. */
    public final int depth() {
        lock.lock();
        try {
            return size();
        } finally {
            lock.unlock();
        }
    }
}
