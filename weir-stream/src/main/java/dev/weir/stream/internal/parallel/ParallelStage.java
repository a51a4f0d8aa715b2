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
 * A stage that handles many elements concurrently. The upstream thread, called the feeder, adds elements to a table, a
 * subclass handles them, and the downstream thread pulls finished ones. Non-final fields are guarded by the lock unless
 * stated otherwise.
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

    /** True after the stage was closed. Threads that are still processing elements then abandon them. */
    boolean closed;

    /** True while the downstream thread waits for several finished elements. A single one must not wake it. */
    private boolean gathering;

    /** Time at which the last pull stopped gathering elements. */
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

    /** Sets the upstream thread and the meter of the pulling thread. Called before the run starts. */
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
     * Records a failure of this stage as a failure of the upstream thread. Call it before closing the upstream stages.
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
     * Adds all elements, waiting for room. If the stage is cancelled, abandons the remaining elements and returns
     * false.
     */
    abstract boolean add(Batch<T> batch, long[] keysOfBatch, StageMeter feederMeter) throws InterruptedException;

    /**
     * Ends the input. Elements inside the stage are still emitted; the stage then fails if {@code upperFailure} is not
     * null.
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

    /** Sets the parallelism to {@code n}. Surplus elements in flight are still finished. */
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

    /** Capacity of the stage in elements, which also limits its parallelism. */
    final int mostAtOnce() {
        return capacity;
    }

    /** Cancels the stage with a failure. Its elements are abandoned when it is closed. Called with the lock held. */
    final void fail(Throwable cause) {
        if (failure == null) {
            failure = cause;
        }
        cancelled = true;
        wakeAll();
    }

    /** Cancels the stage because a thread could not be started to process its elements. Called without the lock. */
    final void failForkless(Throwable refused) {
        lock.lock();
        try {
            fail(refused);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Finishes the element in a running slot. A verdict that fails the stream cancels the stage. Called with the lock
     * held.
     */
    final void settle(int slot, Object outcome) {
        if (outcome instanceof FailureVerdict verdict && verdict.fails()) {
            Throwable cause = verdict.failure();
            // Put the failed element back, so that closing the stage abandons it.
            table.giveBack(slot);
            // Wrap the exception. The downstream stage would take an InterruptedException for its own interruption.
            fail(cause instanceof InterruptedException ? new CompletionException(cause) : cause);
        } else {
            table.complete(slot, outcome);
        }
    }

    /** Wakes the downstream thread if elements can leave. Called with the lock held. */
    final void callPuller() {
        updateStall();
        if (table.hasOutgoing() && !(gathering && isWorthGathering())) {
            doneOrEnded.signal();
        }
    }

    /**
     * Returns how long finished elements are gathered before they leave; see {@link #isWorthGathering}. Called with the
     * lock held.
     */
    long gatherNanos() {
        return 0;
    }

    /**
     * Returns whether all workers have work even if the downstream thread does not pull for a while. Called with the
     * lock held.
     */
    boolean isWorthGathering() {
        return false;
    }

    /**
     * Makes the feeder wait for {@link FeederCall#call}. Afterwards, the feeder must check its condition again. Called
     * with the lock held.
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

    /** Called with the lock held when the input has ended. */
    void afterEnd() {}

    /** Wakes all threads that wait in the stage, after it was cancelled. Called with the lock held. */
    void wakeAll() {
        doneOrEnded.signal();
        feederCall.call();
    }

    /** Called with the lock held after elements were pulled. */
    void afterPull() {}

    /**
     * Updates whether the stage is stalled, that is, full of finished elements. Called with the lock held, after each
     * change.
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
     * Called when there is nothing to emit. Returns null at the end, and an empty batch before it. Throws the stage's
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

    /** Returns whether the stage was cancelled, or its input has ended and all elements have left. */
    private boolean atEnd() {
        return cancelled || (ended && table.isEmpty());
    }

    /**
     * While gathering is worthwhile, waits until enough time has passed since the last pull. Called with the lock held.
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
            // A failure of the closing thread is passed on to the upstream thread.
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

    /** Takes unstarted elements back from workers and settles finished ones. Called with the lock held. */
    void gatherIn() {}

    /** Number of elements that workers have taken but not started. Called with the lock held. */
    int notBegun() {
        return 0;
    }

    /** Removes and returns the running computations, which the caller must cancel. Called with the lock held. */
    List<RunningComputation<R>> detachRunning() {
        return List.of();
    }

    /**
     * Closes the stage. Removes and returns the elements that are not in flight, for the caller to abandon. Called with
     * the lock held.
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

    /** Returns the activity of the stage's workers. May be called from any thread. */
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
     * Returns the number of waiting calls of the stage's function. {@code waitingTasks} is the number of waiting task
     * threads. Called with the lock held.
     */
    abstract int waitingCalls(int waitingTasks);

    /**
     * Drops revoked elements that have not been started. Wakes threads that wait with an element, to check whether it
     * was revoked. May be called from any thread.
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
     * Drops revoked elements that are ready or waiting, and revoked elements that become ready as a result. Does not
     * wait for a busy worker. Called without the lock.
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
     * Calls {@link #dropReadyRevoked} after an element was revoked, because elements behind it may be revoked too.
     * Called with the lock held; releases it meanwhile.
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
     * Wakes threads to process ready elements. Returns the number of threads to start with {@link #forkMore}. Called
     * with the lock held.
     */
    abstract int callForReady();

    /** Starts the threads that {@link #callForReady} asked for. Called without the lock. */
    abstract void forkMore(int count);

    /** Wakes the feeder, to check its condition again. Called with the lock held; may release it meanwhile. */
    void wakeFeeder() {
        feederCall.call();
    }

    /** Finds an element in this stage, or returns null. May be called from any thread. */
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
