package dev.weir.stream.internal.parallel;

import dev.weir.stream.Ordering;
import dev.weir.stream.StageSnapshot.Activity;
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
 * A stage that works on many elements at once: the segment above feeds a table of elements, a subclass has them worked
 * on, the segment below pulls what is done. {@link #pull} belongs to the segment below; the fields that are not final
 * are under the lock unless they say otherwise.
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

    /** The gate at which calls of the function wait; null if none. */
    final @Nullable Gate<T> gate;

    private final int capacity;
    private final StallClock stall;
    private final String keyName;

    /** The elements that the feeder has not added yet. The feeder's. */
    final HeldElements toAdd;

    boolean ended;

    @Nullable
    Throwable failure;

    /** Written under the lock. */
    volatile boolean cancelled;

    /** Nobody will pull any more: each thread that ends work on an element abandons it. */
    boolean closed;

    /** The puller waits, and is called for a run only. */
    private boolean gathering;

    /** The time when the puller last took what there was, while it was worth gathering. */
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

    /** Sets the segments around the stage. Before the run starts. */
    final void connect(Segment<T> above, StageMeter meterOfPuller) {
        upper = above;
        pullerMeter = meterOfPuller;
    }

    /** The loop of the segment above. */
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

    /** The stages above are about to be closed because this one has failed, if it has. */
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

    /** Takes all elements in, waiting for room; false if the stage was cut off. Abandons what it does not take in. */
    abstract boolean add(Batch<T> batch, long[] keysOfBatch, StageMeter feederMeter) throws InterruptedException;

    /** Ends the input; what is inside still comes out, before {@code upperFailure} if that is given. */
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

    /** Works on {@code n} elements at once from now on; those beyond that which are being worked on are finished. */
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

    /** Elements that there is room for, and so the most that can be worked on at once. */
    final int mostAtOnce() {
        return capacity;
    }

    /** Under the lock: cuts the stage off; what is inside is dropped. */
    final void fail(Throwable cause) {
        if (failure == null) {
            failure = cause;
        }
        cancelled = true;
        wakeAll();
    }

    /** Without the lock: cuts the stage off because no thread can be had. Elements inside may never be worked on. */
    final void failForkless(Throwable refused) {
        lock.lock();
        try {
            fail(refused);
        } finally {
            lock.unlock();
        }
    }

    /** Under the lock: ends the work on a running slot. A verdict that fails cuts the stage off. */
    final void settle(int slot, Object outcome) {
        if (outcome instanceof FailureVerdict verdict && verdict.fails()) {
            Throwable cause = verdict.failure();
            // Left to the close, with all that is inside.
            table.giveBack(slot);
            // Wrapped, or the stage below would take it for its own interruption.
            fail(cause instanceof InterruptedException ? new CompletionException(cause) : cause);
        } else {
            table.complete(slot, outcome);
        }
    }

    /** Under the lock: calls the segment below if something may leave. */
    final void callPuller() {
        updateStall();
        if (table.hasOutgoing() && !(gathering && isWorthGathering())) {
            doneOrEnded.signal();
        }
    }

    /**
     * Under the lock: for how long the segment below leaves what is done to become a run. No element waits for that
     * which nothing else has waited for: see {@link #isWorthGathering}.
     */
    long gatherNanos() {
        return 0;
    }

    /** Under the lock: whether all work goes on without what the segment below could do. */
    boolean isWorthGathering() {
        return false;
    }

    /**
     * Under the lock: has the feeder wait until it is called. It looks again then.
     *
     * @param forRoom whether it waits for room for {@code key}
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

    /** Under the lock: the input has ended. */
    void afterEnd() {}

    /** Under the lock: wakes all threads that wait in the stage, as it was cut off. */
    void wakeAll() {
        doneOrEnded.signal();
        feederCall.call();
    }

    /** Under the lock: elements were pulled. */
    void afterPull() {}

    /**
     * Under the lock, after each change. A feeder that waits is called when there is ample room; until then the table
     * counts as full.
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

    /** The end, an empty batch if it has not come, or the failure. */
    private @Nullable Batch<R> nothingDone() throws InterruptedException {
        if (!atEnd()) {
            return new Batch<>(0);
        }
        if (failure != null) {
            throw FailureTransfer.rethrowFromAbove(failure);
        }
        return null;
    }

    /** Returns whether nothing more will be done: the input has ended and all of it left, or the stage was cut off. */
    private boolean atEnd() {
        return cancelled || (ended && table.isEmpty());
    }

    /** Under the lock: while it is worth it, waits until the last pull is long enough ago. */
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

    /** Waits until something may leave, the end is reached, or the deadline has come. */
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

    /** Ends the segment above and all work; abandons the claims of elements that nobody is at work on any more. */
    @Override
    public final void close() {
        if (upper != null) {
            // Tells it why, if this thread fails.
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
        left.abandonAll();
        running.forEach(one -> table.abandon(one.slot()));
    }

    /** Under the lock: takes back what threads have taken and not begun, and settles what they have done. */
    void gatherIn() {}

    /** Under the lock: elements that a thread has taken and not begun. */
    int notBegun() {
        return 0;
    }

    /** Under the lock: takes out the computations that need no thread of the stage and may never end. */
    List<RunningComputation<R>> detachRunning() {
        return List.of();
    }

    /** Under the lock: nothing more is taken in, and the claims that nobody works on are taken out. */
    private Batch<?> cancel() {
        if (!closed) {
            gatherIn();
        }
        closed = true;
        cancelled = true;
        ended = true;
        updateStall();
        wakeAll();
        return table.removeClaims();
    }

    final int depth() {
        lock.lock();
        try {
            return table.size();
        } finally {
            lock.unlock();
        }
    }

    /** Returns the present activity of the stage's workers. Any thread. */
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

    /** Under the lock: calls of the function that wait, when so many of the stage's tasks do. */
    abstract int waitingCalls(int waitingTasks);

    /** Drops what waits for its turn, and has threads that wait with an element in hand look again. Any thread. */
    @Override
    public final void dropRevoked() {
        supervised.lookAgain();
        if (gate != null) {
            gate.lookAgain();
        }
        dropReadyRevoked();
        lock.lock();
        try {
            // What the feeder has in hand may be lost as well.
            wakeFeeder();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Without the lock: drops what is ready and was lost, and what becomes ready by that. It need not wait for a worker
     * while the workers are at work on other elements.
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
     * Under the lock, which it gives up meanwhile: see {@link #dropReadyRevoked}. Others may wait behind what was lost.
     */
    final void dropReadyRevokedMeanwhile() {
        lock.unlock();
        try {
            dropReadyRevoked();
        } finally {
            lock.lock();
        }
    }

    /** Under the lock: calls threads to work on what is ready; returns how many to {@link #forkMore} in addition. */
    abstract int callForReady();

    /** Without the lock: starts as many as {@link #callForReady} said. */
    abstract void forkMore(int count);

    /** Under the lock: has a feeder that waits look again. */
    void wakeFeeder() {
        feederCall.call();
    }

    /** Returns the place of an element inside; null if it is not here. Any thread. */
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
