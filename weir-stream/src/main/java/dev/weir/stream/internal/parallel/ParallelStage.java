package dev.weir.stream.internal.parallel;

import dev.weir.stream.Ordering;
import dev.weir.stream.StageSnapshot.Activity;
import dev.weir.stream.internal.ack.EachAcknowledgement;
import dev.weir.stream.internal.failure.FailureVerdict;
import dev.weir.stream.internal.failure.SupervisedCall;
import dev.weir.stream.internal.run.FailureTransfer;
import dev.weir.stream.internal.run.HeldElements;
import dev.weir.stream.internal.run.Segment;
import dev.weir.stream.internal.run.StageEntry.Keeper;
import dev.weir.stream.internal.run.StageEntry.Kept;
import dev.weir.stream.internal.run.TaskGroup;
import dev.weir.stream.internal.workers.StallClock;
import dev.weir.stream.internal.workers.WorkerLimit;
import dev.weir.stream.internal.workers.WorkerTasks;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Gate;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A stage that handles many elements concurrently: the upstream thread adds elements to a table, a subclass handles
 * them, and the downstream thread pulls finished ones. {@link #pull} is called only by the downstream thread. Non-final
 * fields are guarded by the lock unless stated otherwise.
 */
abstract sealed class ParallelStage<T, R> implements Stage<R>, Keeper permits BlockingWorkers, AsyncStage {

    final WorkerLimit limit;
    final ElementKeys<T> keys;
    final SupervisedCall supervised;
    final StageMeter meter;
    final WorkerTasks tasks;
    final ReentrantLock lock = new ReentrantLock();
    final Condition doneOrEnded = lock.newCondition();
    final ElementTable<T> table;
    final FeederCall feederCall;
    final Clock clock;

    /** The gate at which calls of the function wait; null if there is none. */
    final @Nullable Gate<T> gate;

    private final int capacity;
    private final StallClock stall;
    private final String keyName;

    /** The elements that the feeder has not added to the table yet. Accessed only by the feeder. */
    final HeldElements toAdd;

    boolean ended;

    @Nullable
    Throwable failure;

    /** Written only while holding the lock. */
    volatile boolean cancelled;

    /** True after the stage was closed. Threads that are still processing elements then abandon these elements. */
    boolean closed;

    /**
     * True while the downstream thread waits for finished elements to gather. A single finished element must not wake
     * it.
     */
    private boolean gathering;

    /** The time at which the last pull stopped gathering elements. The next gathering time starts here. */
    private long pulledNanos;

    // Set before the run starts.
    private @Nullable Segment<T> upper;
    private StageMeter pullerMeter = new StageMeter();

    ParallelStage(
            WorkerLimit limit,
            Ordering<? super T> ordering,
            @Nullable Gate<T> gate,
            SupervisedCall supervised,
            StageMeter meter,
            int threads,
            WorkerTasks tasks,
            Clock clock,
            int capacity) {
        this.limit = limit;
        this.keys = new ElementKeys<>(ordering, supervised);
        this.supervised = supervised;
        this.meter = meter;
        this.tasks = tasks;
        this.clock = clock;
        this.gate = gate;
        this.table = new ElementTable<>(capacity, ordering.isInput(), ordering.isKeyed());
        this.capacity = capacity;
        this.feederCall = new FeederCall(lock, clock, table);
        this.stall = new StallClock(meter, threads);
        this.toAdd = new HeldElements(meter);
        this.keyName = ordering.keyName();
        this.pulledNanos = clock.nanoTime();
    }

    /** Sets the upstream thread, and the meter of the thread that pulls. Must be called before the run starts. */
    final void connect(Segment<T> above, StageMeter meterOfPuller) {
        upper = above;
        pullerMeter = meterOfPuller;
    }

    /** Pulls batches from {@code from} and adds their elements to the stage, on the upstream thread. */
    final void feed(Stage<T> from, StageMeter feederMeter) throws InterruptedException {
        try {
            Batch<T> batch;
            while (keys.failure() == null && (batch = from.pull(NEVER)) != null) {
                if (!batch.isEmpty()) {
                    meter.in(batch.size());
                    toAdd.set(batch.size());
                    if (!add(batch, keys.of(batch), feederMeter)) {
                        noteCutOff();
                        return;
                    }
                    toAdd.set(0);
                }
            }
            end(keys.failure());
        } catch (InterruptedException interrupted) {
            end(interrupted);
            throw interrupted;
        } catch (RuntimeException | Error upperFailure) {
            end(upperFailure);
        } finally {
            toAdd.set(0);
        }
    }

    /**
     * If this stage has failed, records its failure as a failure of the upstream thread. Called before the upstream
     * stages are closed, which would otherwise take their closing for a normal end.
     */
    private void noteCutOff() {
        Throwable cause;
        lock.lock();
        try {
            cause = failure;
        } finally {
            lock.unlock();
        }
        if (cause != null) {
            TaskGroup.noteFailure(cause);
        }
    }

    /**
     * Adds all elements, waiting for room. If the stage is cancelled, abandons the elements that were not added and
     * returns false.
     */
    abstract boolean add(Batch<T> batch, long[] keysOfBatch, StageMeter feederMeter) throws InterruptedException;

    /**
     * Ends the input. Elements inside the stage are still emitted. If {@code upperFailure} is not null, the stage then
     * fails with it.
     */
    private void end(@Nullable Throwable upperFailure) {
        if (upperFailure != null) {
            TaskGroup.noteFailure(upperFailure);
        }
        lock.lock();
        try {
            ended = true;
            if (failure == null) {
                failure = upperFailure;
            }
            doneOrEnded.signal();
            afterEnd();
        } finally {
            lock.unlock();
        }
    }

    /** Sets the parallelism to {@code n}. If more elements than this are in flight, they are still finished. */
    final void resize(int n) {
        int more = 0;
        lock.lock();
        try {
            limit.hold(n);
            stall.threads(n);
            if (!cancelled && !closed) {
                more = callForReady();
            }
            feederCall.call();
        } finally {
            lock.unlock();
        }
        forkMore(more);
    }

    /** The capacity of the stage in elements, which also limits its parallelism. */
    final int mostAtOnce() {
        return capacity;
    }

    /**
     * Cancels the stage with a failure. The elements inside are abandoned when the stage is closed. Must be called
     * while holding the lock.
     */
    final void fail(Throwable cause) {
        if (failure == null) {
            failure = cause;
        }
        cancelled = true;
        wakeAll();
    }

    /**
     * Cancels the stage because a thread could not be started. Without the thread, elements inside the stage might
     * never be processed. Must be called without holding the lock.
     */
    final void failForkless(Throwable refused) {
        lock.lock();
        try {
            fail(refused);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Finishes the element in a running slot. A verdict that fails the stream cancels the stage. Must be called while
     * holding the lock.
     */
    final void settle(int slot, Object outcome) {
        if (outcome instanceof FailureVerdict verdict && verdict.fails()) {
            Throwable cause = verdict.failure();
            // Put the failed element back among the ready ones, so that closing the stage abandons it with all others
            // inside.
            table.giveBack(slot);
            // Wrap the exception, so that the downstream stage does not mistake it for its own interruption.
            fail(cause instanceof InterruptedException ? new CompletionException(cause) : cause);
        } else {
            table.complete(slot, outcome);
        }
    }

    /** Wakes the downstream thread if elements may leave. Must be called while holding the lock. */
    final void callPuller() {
        updateStall();
        if (table.hasOutgoing() && !(gathering && isWorthGathering())) {
            doneOrEnded.signal();
        }
    }

    /**
     * Returns how long finished elements are gathered before the downstream thread takes them. Gathering delays only
     * elements that would have to wait anyway; see {@link #isWorthGathering}. Must be called while holding the lock.
     */
    long gatherNanos() {
        return 0;
    }

    /**
     * Returns whether all workers can continue even if the downstream thread does not pull for a while. Must be called
     * while holding the lock.
     */
    boolean isWorthGathering() {
        return false;
    }

    /**
     * Makes the feeder wait for {@link FeederCall#call}. Afterwards, the feeder must check its condition again. Must be
     * called while holding the lock.
     *
     * @param forRoom whether the feeder is waiting for room for {@code key}
     */
    final void awaitCall(boolean forRoom, long key, StageMeter feederMeter) throws InterruptedException {
        feederMeter.beginBlockedDown(1);
        feederCall.begin(forRoom, key);
        updateStall();
        try {
            feederCall.await();
        } finally {
            feederCall.end();
            updateStall();
            feederMeter.endBlockedDown();
        }
    }

    /** Called when the input has ended, while holding the lock. */
    void afterEnd() {}

    /**
     * Wakes all threads that are waiting in the stage, after it was cancelled. Must be called while holding the lock.
     */
    void wakeAll() {
        doneOrEnded.signal();
        feederCall.call();
    }

    /** Called while holding the lock, after elements were pulled. */
    void afterPull() {}

    /**
     * Updates whether the stage counts as stalled, that is, full of finished elements. If the feeder waits for room,
     * the table counts as full even if it has some room, because the feeder is woken only when there is ample room.
     * Must be called after each change, while holding the lock.
     */
    final void updateStall() {
        boolean full = feederCall.isForRoom() ? !table.isEmpty() : table.isFull();
        stall.update(full && table.doneCount() == table.size() && !cancelled);
    }

    @Override
    public final @Nullable Batch<R> pull(long deadlineNanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (true) {
                gather(deadlineNanos);
                awaitOutgoing(deadlineNanos);
                if (!table.hasOutgoing()) {
                    return nothingDone();
                }
                Batch<R> out = new Batch<>(Math.min(Batch.DEFAULT_CAPACITY, table.doneCount()));
                table.drain(out, Batch.DEFAULT_CAPACITY);
                updateStall();
                feederCall.callIfAmpleRoom();
                afterPull();
                if (!out.isEmpty()) {
                    meter.out(out.size());
                    return out;
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Called when there is nothing to emit. Returns null at the end and an empty batch before it. Throws the stage's
     * failure, if there is one.
     */
    private @Nullable Batch<R> nothingDone() throws InterruptedException {
        if (!atEnd()) {
            return new Batch<>(0);
        }
        if (failure != null) {
            throw FailureTransfer.rethrowFromAbove(failure);
        }
        return null;
    }

    /**
     * Returns whether the stage has ended: the input has ended and all its elements have left, or the stage was
     * cancelled.
     */
    private boolean atEnd() {
        return cancelled || (ended && table.isEmpty());
    }

    /**
     * While gathering is worthwhile, waits until enough time has passed since the last pull. Must be called while
     * holding the lock.
     */
    private void gather(long deadlineNanos) throws InterruptedException {
        long gatherNanos = gatherNanos();
        if (gatherNanos == 0 || !isWorthGathering() || atEnd()) {
            return;
        }
        long untilNanos = pulledNanos + gatherNanos;
        if (deadlineNanos != NEVER && deadlineNanos - untilNanos < 0) {
            untilNanos = deadlineNanos;
        }
        if (!clock.hasPassed(untilNanos)) {
            pullerMeter.beginBlockedUp();
            gathering = true;
            try {
                while (isWorthGathering() && !atEnd() && !clock.hasPassed(untilNanos)) {
                    clock.await(lock, doneOrEnded, untilNanos);
                }
            } finally {
                gathering = false;
                pullerMeter.endBlockedUp();
            }
        }
        pulledNanos = clock.nanoTime();
    }

    /** Waits until elements may leave, the end is reached, or the deadline has passed. */
    private void awaitOutgoing(long deadlineNanos) throws InterruptedException {
        if (table.hasOutgoing() || atEnd()) {
            return;
        }
        pullerMeter.beginBlockedUp();
        try {
            while (!table.hasOutgoing() && !atEnd() && !clock.hasPassed(deadlineNanos)) {
                clock.await(lock, doneOrEnded, deadlineNanos);
            }
        } finally {
            pullerMeter.endBlockedUp();
        }
    }

    /** Cancels the upstream thread and all work in progress, and abandons the elements that are not in flight. */
    @Override
    public final void close() {
        if (upper != null) {
            // If the closing thread has failed, this call passes the failure on to the upstream thread.
            upper.cancel();
        }
        Batch<?> left;
        List<RunningComputation<R>> running;
        lock.lock();
        try {
            left = cancel();
            running = detachRunning();
        } finally {
            lock.unlock();
        }
        tasks.cancel();
        running.forEach(RunningComputation::cancel);
        try {
            left.abandonAll();
        } finally {
            EachAcknowledgement.of(running, one -> table.abandon(one.slot()));
        }
    }

    /** Takes unstarted elements back from workers and settles finished ones. Must be called while holding the lock. */
    void gatherIn() {}

    /** The number of elements that workers have taken but not started. Must be called while holding the lock. */
    int notBegun() {
        return 0;
    }

    /**
     * Removes and returns the asynchronous computations in progress, so that the caller can cancel them. They may never
     * complete. Must be called while holding the lock.
     */
    List<RunningComputation<R>> detachRunning() {
        return List.of();
    }

    /**
     * Closes the stage to further elements. Removes and returns the pending acknowledgements of elements that are not
     * in flight, so that the caller can abandon them. Must be called while holding the lock.
     */
    private Batch<?> cancel() {
        if (!closed) {
            gatherIn();
        }
        closed = true;
        cancelled = true;
        ended = true;
        updateStall();
        wakeAll();
        return table.removePending();
    }

    final int depth() {
        lock.lock();
        try {
            return table.size();
        } finally {
            lock.unlock();
        }
    }

    /** Returns the current activity of the stage's workers. May be called from any thread. */
    final Activity activity(String stage) {
        int waitingTasks = tasks.waiting();
        int behindLock = tasks.behindLock();
        Activity workers;
        lock.lock();
        try {
            int notBegun = notBegun();
            int running = table.runningCount() - notBegun;
            int waiting = Math.clamp(waitingCalls(waitingTasks), 0, running);
            workers = Activity.of(
                            stage,
                            null,
                            tasks.dispatcher().snapshot(),
                            running,
                            waiting,
                            table.readyCount() + notBegun,
                            table.waitingCount(),
                            keyName,
                            Math.min(behindLock, waiting))
                    .withLongestChain(table.longestChain());
        } finally {
            lock.unlock();
        }
        return tasks.withWaits(workers);
    }

    /**
     * Returns the number of waiting calls of the stage's function. {@code waitingTasks} is the number of the stage's
     * tasks whose threads are waiting. Must be called while holding the lock.
     */
    abstract int waitingCalls(int waitingTasks);

    /**
     * Drops revoked elements that have not been started. Also wakes threads that are waiting while they hold an
     * element, so that they check whether it was revoked. May be called from any thread.
     */
    @Override
    public final void dropRevoked() {
        supervised.lookAgain();
        if (gate != null) {
            gate.lookAgain();
        }
        dropReadyRevoked();
        lock.lock();
        try {
            // The elements that the feeder holds may have been revoked too.
            wakeFeeder();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Drops revoked elements that are ready or waiting. If other revoked elements become ready as a result, drops them
     * too. Does not wait for a busy worker. Must be called without holding the lock.
     */
    final void dropReadyRevoked() {
        int[] revoked;
        lock.lock();
        try {
            gatherIn();
            revoked = table.takeRevoked();
        } finally {
            lock.unlock();
        }
        while (revoked.length > 0) {
            for (int slot : revoked) {
                boolean ignored = table.dropIfRevoked(slot);
            }
            int toStart = 0;
            lock.lock();
            try {
                if (closed) {
                    return;
                }
                for (int slot : revoked) {
                    table.complete(slot, FailureVerdict.REVOKED);
                }
                callPuller();
                revoked = table.takeRevoked();
                if (revoked.length == 0) {
                    toStart = callForReady();
                    wakeFeeder();
                }
            } finally {
                lock.unlock();
            }
            forkMore(toStart);
        }
    }

    /**
     * Calls {@link #dropReadyRevoked} after an element was found to be revoked, because elements waiting for it may be
     * revoked too. Must be called while holding the lock, which is released temporarily.
     */
    final void dropReadyRevokedMeanwhile() {
        lock.unlock();
        try {
            dropReadyRevoked();
        } finally {
            lock.lock();
        }
    }

    /**
     * Wakes threads to process ready elements. Returns the number of additional threads to start with
     * {@link #forkMore}. Must be called while holding the lock.
     */
    abstract int callForReady();

    /** Starts the number of threads that {@link #callForReady} returned. Must be called without holding the lock. */
    abstract void forkMore(int count);

    /**
     * Wakes the feeder, if it is waiting, so that it checks its condition again. Must be called while holding the lock,
     * which may be released temporarily.
     */
    void wakeFeeder() {
        feederCall.call();
    }

    /**
     * Finds an element that this stage holds. Returns null if the stage does not hold the element. May be called from
     * any thread.
     */
    @Override
    public final @Nullable Kept find(AckTarget of, long ofToken) {
        lock.lock();
        try {
            return table.find(of, ofToken);
        } finally {
            lock.unlock();
        }
    }
}
