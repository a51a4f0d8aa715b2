package dev.weir.stream.internal.parallel;

import dev.weir.stream.Attributes;
import dev.weir.stream.Dispatcher;
import dev.weir.stream.Handler;
import dev.weir.stream.Ordering;
import dev.weir.stream.Supervision.Decision;
import dev.weir.stream.internal.failure.Supervised;
import dev.weir.stream.internal.failure.Verdict;
import dev.weir.stream.internal.run.Failures;
import dev.weir.stream.internal.run.Node;
import dev.weir.stream.internal.run.Segment;
import dev.weir.stream.internal.run.StageEntry;
import dev.weir.stream.internal.run.TaskGroup.Task;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Works on many elements at once, each on a lane: a thread that takes the next ready element, may block in the handler,
 * and takes another. The segment above feeds the table of elements; the segment below pulls what is done.
 *
 * <p>Lanes are started as ready elements outnumber idle lanes, up to the concurrency. An idle lane on virtual threads
 * waits for more; on a pool it ends, so that stages can share the pool.
 */
public final class BlockingLanes<T, R> implements Stage<R> {

    private static final long[] NO_KEYS = {};
    private static final int MAX_CONCURRENCY = 100_000;
    private static final int MIN_CAPACITY = 512;

    /** Elements inside per lane: behind each running one some wait, so that keys which block each other leave no gap. */
    private static final int CAPACITY_PER_LANE = 8;

    private static final long IDLE_LANE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final int concurrency;
    private final boolean lanesWait;
    private final Ordering<? super T> ordering;
    private final Handler<? super T, ? extends R> handler;
    private final StageMeter meter;
    private final Supervised supervised;
    private final WorkerTasks tasks;
    private final Clock clock;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition room = lock.newCondition();
    private final Condition readyOrEnded = lock.newCondition();
    private final Condition doneOrEnded = lock.newCondition();

    // Under the lock.
    private final LaneTable<T> table;
    private final StallClock stall;
    private int lanes;
    private int idleLanes;
    private boolean ended;
    private boolean cancelled;
    private @Nullable Throwable failure;

    /** What an element's key could not be worked out for. Confined to the feeder. */
    private @Nullable Throwable keyFailure;

    // Set before the run starts.
    private @Nullable Segment<T> upper;
    private StageMeter pullerMeter = new StageMeter();

    private BlockingLanes(
            int concurrency,
            Ordering<? super T> ordering,
            Handler<? super T, ? extends R> handler,
            StageMeter meter,
            Supervised supervised,
            WorkerTasks tasks,
            Clock clock) {
        this.concurrency = concurrency;
        this.lanesWait = tasks.dispatcher().kind() == Dispatcher.Kind.VIRTUAL;
        this.ordering = ordering;
        this.handler = handler;
        this.meter = meter;
        this.supervised = supervised;
        this.tasks = tasks;
        this.clock = clock;
        int wanted = Math.max(MIN_CAPACITY, concurrency * CAPACITY_PER_LANE);
        this.table = new LaneTable<>(Integer.highestOneBit(wanted * 2 - 1), ordering.isInput(), ordering.isKeyed());
        this.stall =
                new StallClock(meter, Math.min(concurrency, tasks.dispatcher().size()));
    }

    /** See {@link dev.weir.stream.Source#mapBlocking(int, Ordering, Dispatcher, Handler)}. */
    public static <T, R> Node<R> node(
            Node<T> above,
            int concurrency,
            Ordering<? super T> ordering,
            Dispatcher dispatcher,
            Handler<? super T, ? extends R> handler) {
        if (concurrency < 1 || concurrency > MAX_CONCURRENCY) {
            throw new IllegalArgumentException(
                    "concurrency must be 1 to " + MAX_CONCURRENCY + ": concurrency=" + concurrency);
        }
        return new Node<>(Attributes.named("mapBlocking").withDispatcher(dispatcher), (assembly, attributes) -> {
            Stage<T> upstream = above.build(assembly);
            String feederName = assembly.lastEntry().stageName();
            StageMeter feederMeter = assembly.segmentMeter();
            Dispatcher chosen = attributes.dispatcherOr(dispatcher);
            StageEntry entry = assembly.threaded(attributes, chosen, concurrency);
            BlockingLanes<T, R> stage = new BlockingLanes<>(
                    concurrency,
                    ordering,
                    handler,
                    entry.meter(),
                    Supervised.by(attributes, assembly.clock()),
                    new WorkerTasks(assembly.tasks(), chosen, entry.stageName()),
                    assembly.clock());
            entry.depth(stage::depth);
            stage.upper = assembly.closeSegment(
                    feederName, Dispatcher.virtual(), upstream, from -> stage.feed(from, feederMeter));
            stage.pullerMeter = assembly.segmentMeter();
            return stage;
        });
    }

    private void feed(Stage<T> from, StageMeter feederMeter) throws InterruptedException {
        try {
            Batch<T> batch;
            while ((batch = from.pull(NEVER)) != null) {
                long[] keys = keysOf(batch);
                for (int i = 0; i < batch.size(); ) {
                    i = addSome(batch, keys, i, feederMeter);
                    if (i < 0) {
                        return;
                    }
                }
                meter.in(batch.size());
                if (keyFailure != null) {
                    end(keyFailure);
                    return;
                }
            }
            end(null);
        } catch (InterruptedException interrupted) {
            end(interrupted);
            throw interrupted;
        } catch (RuntimeException | Error upperFailure) {
            end(upperFailure);
        }
    }

    /**
     * The keys of a batch, worked out before the lock is taken; empty if the ordering has none. Elements for which there
     * is none are dropped from the batch, or it is cut off at the first of them.
     */
    private long[] keysOf(Batch<T> batch) throws InterruptedException {
        if (!ordering.isKeyed()) {
            return NO_KEYS;
        }
        int size = batch.size();
        long[] keys = new long[size];
        int kept = 0;
        for (int i = 0; i < size; i++) {
            T element = batch.get(i);
            long key;
            try {
                key = ordering.keyOf(element);
            } catch (Throwable thrown) {
                Object outcome = supervised.after(thrown, ordering::keyOf, element);
                if (outcome instanceof Verdict verdict) {
                    if (verdict.fails()) {
                        keyFailure = verdict.failure();
                        break;
                    }
                    verdict.settle(batch.target(i), batch.token(i));
                    continue;
                }
                key = (long) outcome;
            }
            if (kept < i) {
                batch.move(i, kept);
            }
            keys[kept++] = key;
        }
        if (kept < size) {
            batch.truncate(kept);
        }
        return keys;
    }

    /** Adds elements from {@code from} on while there is room; returns the next index, or -1 if cancelled. */
    private int addSome(Batch<T> batch, long[] keys, int from, StageMeter feederMeter) throws InterruptedException {
        int toStart;
        int i = from;
        lock.lockInterruptibly();
        try {
            if (table.isFull() && !cancelled) {
                feederMeter.beginBlockedDown(1);
                try {
                    do {
                        room.await();
                    } while (table.isFull() && !cancelled);
                } finally {
                    feederMeter.endBlockedDown();
                }
            }
            if (cancelled) {
                return -1;
            }
            for (; i < batch.size() && !table.isFull(); i++) {
                long key = keys.length == 0 ? Ordering.NO_KEY : keys[i];
                table.add(batch.get(i), batch.target(i), batch.token(i), key);
            }
            int ready = table.readyCount();
            for (int n = Math.min(ready, idleLanes); n > 0; n--) {
                readyOrEnded.signal();
            }
            toStart = Math.max(0, Math.min(concurrency - lanes, ready - idleLanes));
            lanes += toStart;
        } finally {
            lock.unlock();
        }
        for (int n = 0; n < toStart; n++) {
            forkLane();
        }
        return i;
    }

    private void forkLane() {
        try {
            tasks.fork(this::lane);
        } catch (RuntimeException | Error refused) {
            // What is inside may never be worked on, so the failure must not wait behind it.
            lock.lock();
            try {
                fail(refused);
            } finally {
                lock.unlock();
            }
            throw refused;
        }
    }

    /** Ends the input; what is inside still comes out, before {@code upperFailure} if that is given. */
    private void end(@Nullable Throwable upperFailure) {
        lock.lock();
        try {
            ended = true;
            if (failure == null) {
                failure = upperFailure;
            }
            readyOrEnded.signalAll();
            doneOrEnded.signal();
        } finally {
            lock.unlock();
        }
    }

    private void lane(Task self) {
        lock.lock();
        try {
            int slot;
            while ((slot = nextSlot(self)) >= 0) {
                T element = table.value(slot);
                lock.unlock();
                Object outcome;
                long start = System.nanoTime();
                try {
                    outcome = handle(element);
                    if (outcome instanceof Verdict verdict) {
                        verdict.settle(table.target(slot), table.token(slot));
                    }
                } finally {
                    meter.busy(System.nanoTime() - start);
                    lock.lock();
                }
                if (outcome instanceof Verdict verdict && verdict.fails()) {
                    fail(verdict.failure());
                    return;
                }
                table.complete(slot, outcome);
                updateStall();
                if (table.hasOutgoing()) {
                    doneOrEnded.signal();
                }
            }
        } finally {
            lanes--;
            lock.unlock();
        }
    }

    /** The handler's result, or a verdict. */
    private Object handle(T element) {
        try {
            return call(element);
        } catch (Throwable thrown) {
            try {
                Object outcome = supervised.after(thrown, this::call, element);
                // Wrapped, or the stage below would take it for its own interruption.
                return outcome instanceof Verdict verdict && verdict.failure() instanceof InterruptedException
                        ? new Verdict(verdict.decision(), new CompletionException(verdict.failure()))
                        : outcome;
            } catch (InterruptedException interrupted) {
                return new Verdict(Decision.FAIL, new CompletionException(interrupted));
            } catch (VirtualMachineError fatal) {
                return new Verdict(Decision.FAIL, fatal);
            }
        }
    }

    private R call(T element) throws Exception {
        R result = handler.handle(element);
        if (result == null) {
            throw new NullPointerException("the handler of mapBlocking returned null");
        }
        return result;
    }

    private void fail(Throwable cause) {
        if (failure == null) {
            failure = cause;
        }
        cancelled = true;
        room.signal();
        readyOrEnded.signalAll();
        doneOrEnded.signal();
    }

    /** Under the lock: the next slot to work on, waiting if this lane may; -1 ends the lane. */
    private int nextSlot(Task self) {
        while (!cancelled && self.mayGoOn()) {
            int slot = table.takeReady();
            if (slot >= 0) {
                return slot;
            }
            if (!lanesWait || (ended && table.isEmpty())) {
                return -1;
            }
            idleLanes++;
            try {
                if (readyOrEnded.awaitNanos(IDLE_LANE_NANOS) <= 0 && table.readyCount() == 0) {
                    return -1;
                }
            } catch (InterruptedException ignored) {
                // The loop asks whether it was meant for this lane.
            } finally {
                idleLanes--;
            }
        }
        return -1;
    }

    private void updateStall() {
        stall.update(table.isFull() && table.doneCount() == table.size() && !cancelled);
    }

    @Override
    public @Nullable Batch<R> pull(long deadlineNanos) throws InterruptedException {
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
                room.signal();
                if (ended && table.isEmpty()) {
                    readyOrEnded.signalAll();
                }
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

    @Override
    public void close() {
        lock.lock();
        try {
            cancelled = true;
            ended = true;
            updateStall();
            room.signal();
            readyOrEnded.signalAll();
        } finally {
            lock.unlock();
        }
        if (upper != null) {
            upper.cancel();
        }
        tasks.cancel();
    }

    private int depth() {
        lock.lock();
        try {
            return table.size();
        } finally {
            lock.unlock();
        }
    }
}
