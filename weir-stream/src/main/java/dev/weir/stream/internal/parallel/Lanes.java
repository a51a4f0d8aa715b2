package dev.weir.stream.internal.parallel;

import dev.weir.stream.internal.workers.WorkerTasks;
import dev.weir.stream.internal.workers.StallClock;
import dev.weir.stream.internal.workers.Limit;
import dev.weir.stream.Attributes;
import dev.weir.stream.Dispatcher;
import dev.weir.stream.Ordering;
import dev.weir.stream.internal.failure.Supervised;
import dev.weir.stream.internal.failure.Verdict;
import dev.weir.stream.internal.run.Assembly;
import dev.weir.stream.internal.run.Failures;
import dev.weir.stream.internal.run.HeldElements;
import dev.weir.stream.internal.run.Node;
import dev.weir.stream.internal.run.Segment;
import dev.weir.stream.internal.run.StageEntry;
import dev.weir.stream.internal.run.StageEntry.Keeper;
import dev.weir.stream.internal.run.StageEntry.Kept;
import dev.weir.stream.internal.run.TaskGroup;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Gate;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A stage that works on many elements at once: the segment above feeds a table of elements, a subclass has them worked on,
 * the segment below pulls what is done. {@link #pull} belongs to the segment below; the fields that are not final are under
 * the lock unless they say otherwise.
 */
abstract sealed class Lanes<T, R> implements Stage<R>, Keeper permits BlockingLanes, AsyncLanes {

    private static final int MIN_CAPACITY = 512;

    /** Elements inside per lane: behind each running one some wait, so that keys which block each other leave no gap. */
    private static final int CAPACITY_PER_LANE = 8;

    final Limit limit;
    final Keys<T> keys;
    final Supervised supervised;
    final StageMeter meter;
    final WorkerTasks tasks;
    final ReentrantLock lock = new ReentrantLock();
    final Condition doneOrEnded = lock.newCondition();
    final LaneTable<T> table;
    final Clock clock;

    /** What calls of the function wait at, if they do. */
    final @Nullable Gate<T> gate;

    private final StallClock stall;

    /** What the feeder has and not added yet. The feeder's. */
    final HeldElements toAdd;

    /** Whether the feeder waits for room for {@link #awaitedKey}. */
    boolean awaitsRoom;

    long awaitedKey;
    boolean ended;

    @Nullable
    Throwable failure;

    /** Written under the lock. */
    volatile boolean cancelled;

    /** Nobody will pull any more: whoever ends work on an element abandons it. */
    boolean closed;

    // Set before the run starts.
    private @Nullable Segment<T> upper;
    private StageMeter pullerMeter = new StageMeter();

    Lanes(
            Limit limit,
            Ordering<? super T> ordering,
            @Nullable Gate<T> gate,
            Supervised supervised,
            StageMeter meter,
            int threads,
            WorkerTasks tasks,
            Clock clock) {
        this.limit = limit;
        this.keys = new Keys<>(ordering, supervised);
        this.supervised = supervised;
        this.meter = meter;
        this.tasks = tasks;
        this.clock = clock;
        this.gate = gate;
        this.table = new LaneTable<>(capacityFor(limit.max()), ordering.isInput(), ordering.isKeyed());
        this.stall = new StallClock(meter, threads);
        this.toAdd = new HeldElements(meter);
    }

    /** How many elements a stage takes in that works on up to {@code concurrency} at once: a power of two. */
    static int capacityFor(int concurrency) {
        int wanted = Math.max(MIN_CAPACITY, concurrency * CAPACITY_PER_LANE);
        return Integer.highestOneBit(wanted * 2 - 1);
    }

    /** The gate that a function is, if it is one. */
    @SuppressWarnings("unchecked") // a gate is one for what its function takes
    static <T> @Nullable Gate<T> gateOf(Object function) {
        return function instanceof Gate<?> gate && !gate.isAlwaysOpen() ? (Gate<T>) gate : null;
    }

    /** Makes the stage of one run. */
    @FunctionalInterface
    interface Maker<T, R> {
        Lanes<T, R> make(StageEntry entry, WorkerTasks tasks);
    }

    /**
     * Builds a stage between the segment above, which feeds it, and the one below.
     *
     * @param workers how many work in it at once at most
     */
    static <T, R> Stage<R> build(
            Node<T> above,
            Assembly assembly,
            Attributes attributes,
            Dispatcher dispatcher,
            int workers,
            Maker<T, R> maker) {
        Stage<T> upstream = above.build(assembly);
        String feederName = assembly.lastEntry().stageName();
        StageMeter feederMeter = assembly.segmentMeter();
        StageEntry entry = assembly.threaded(attributes, dispatcher, workers);
        Lanes<T, R> stage = maker.make(entry, new WorkerTasks(assembly.tasks(), dispatcher, entry.stageName()));
        entry.depth(stage::depth);
        entry.keeper(stage);
        stage.upper = assembly.closeSegment(
                        feederName, Dispatcher.virtual(), upstream, from -> stage.feed(from, feederMeter))
                .countedByItsStage();
        stage.pullerMeter = assembly.segmentMeter();
        return stage;
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

    /** Under the lock: cuts the stage off; what is inside is dropped. */
    final void fail(Throwable cause) {
        if (failure == null) {
            failure = cause;
        }
        cancelled = true;
        wakeAll();
    }

    /** Under the lock: the input has ended. */
    void afterEnd() {}

    /** Under the lock: wakes whoever waits in the stage, as it was cut off. */
    void wakeAll() {
        doneOrEnded.signal();
    }

    /** Under the lock: some room has come, as elements were pulled. */
    abstract void afterPull();

    /**
     * Under the lock, after each change. A feeder that waits is called when there is ample room; until then the table counts
     * as full.
     */
    final void updateStall() {
        boolean full = awaitsRoom ? !table.isEmpty() : table.isFull();
        stall.update(full && table.doneCount() == table.size() && !cancelled);
    }

    @Override
    public final @Nullable Batch<R> pull(long deadlineNanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (true) {
                awaitOutgoing(deadlineNanos);
                if (!table.hasOutgoing()) {
                    return nothingDone();
                }
                Batch<R> out = new Batch<>(Math.min(Batch.DEFAULT_CAPACITY, table.doneCount()));
                table.drain(out, Batch.DEFAULT_CAPACITY);
                updateStall();
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
            throw Failures.rethrowFromAbove(failure);
        }
        return null;
    }

    /** Nothing more will be done: the input has ended and all of it left, or the stage was cut off. */
    private boolean atEnd() {
        return cancelled || (ended && table.isEmpty());
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

    /**
     * Under the lock, at the close: nothing more is taken in, and what nobody works on is taken out. The caller abandons that
     * without the lock.
     */
    final Batch<?> cancel() {
        closed = true;
        cancelled = true;
        ended = true;
        updateStall();
        wakeAll();
        return table.removeClaims();
    }

    /** Without the lock: abandons an element that was worked on when the stage was cut off. */
    final void abandon(int slot) {
        table.target(slot).abandon(table.token(slot));
    }

    /** Without the lock, before {@link #cancel}: ends the segment above and tells it why. */
    final void cancelUpper() {
        if (upper != null) {
            upper.cancel();
        }
    }

    final int depth() {
        lock.lock();
        try {
            return table.size();
        } finally {
            lock.unlock();
        }
    }

    /** Without the lock: whether the source of the element in a slot that is not done has lost it. */
    final boolean isRevoked(int slot) {
        return table.target(slot).isRevoked(table.token(slot));
    }

    /** Without the lock: the same, and its claim has ended then. */
    final boolean dropIfRevoked(int slot) {
        return table.target(slot).dropIfRevoked(table.token(slot));
    }

    /** Drops what waits for its turn, and has those look again who wait with an element in hand. Any thread. */
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
     * Without the lock: drops what is ready and was lost, and what becomes ready by that. What waits at work of others for a
     * lane need not wait to be dropped.
     */
    final void dropReadyRevoked() {
        int[] revoked;
        lock.lock();
        try {
            revoked = table.takeRevoked();
        } finally {
            lock.unlock();
        }
        while (revoked.length > 0) {
            for (int slot : revoked) {
                boolean ignored = dropIfRevoked(slot);
            }
            int toStart = 0;
            lock.lock();
            try {
                if (closed) {
                    return;
                }
                for (int slot : revoked) {
                    table.complete(slot, Verdict.REVOKED);
                }
                updateStall();
                if (table.hasOutgoing()) {
                    doneOrEnded.signal();
                }
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

    /** Under the lock: calls those who work on what is ready; returns how many to {@link #forkMore} in addition. */
    abstract int callForReady();

    /** Without the lock: starts as many as {@link #callForReady} said. */
    abstract void forkMore(int count);

    /** Under the lock: has a feeder that waits look again. */
    abstract void wakeFeeder();

    /** Where an element is inside, if it is. Any thread. */
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
