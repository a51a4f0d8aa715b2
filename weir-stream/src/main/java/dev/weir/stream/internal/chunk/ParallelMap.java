package dev.weir.stream.internal.chunk;

import dev.weir.stream.Dispatcher;
import dev.weir.stream.Handler;
import dev.weir.stream.Parallelism;
import dev.weir.stream.StageSnapshot.Activity;
import dev.weir.stream.internal.failure.SupervisedCall;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.FailureTransfer;
import dev.weir.stream.internal.run.RunAssembly;
import dev.weir.stream.internal.run.Segment;
import dev.weir.stream.internal.run.StageAttributes;
import dev.weir.stream.internal.run.StageEntry;
import dev.weir.stream.internal.run.StageEntry.Kept;
import dev.weir.stream.internal.run.TaskGroup;
import dev.weir.stream.internal.run.TaskGroup.Task;
import dev.weir.stream.internal.workers.StallClock;
import dev.weir.stream.internal.workers.WorkerLimit;
import dev.weir.stream.internal.workers.WorkerTasks;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Processes batches with several workers and emits them in input order. The upstream thread feeds the stage; the
 * downstream thread pulls from it. The stage's lock guards all shared state, except for batches in flight, which are
 * thread-safe.
 *
 * <p>Workers take chunks of the oldest batch with untaken elements, and replace the elements in place. A batch leaves
 * when it and all batches before it are done. Workers start when there is work and end when there is none, so that
 * several stages can use the same dispatcher.
 */
public final class ParallelMap<T, R> implements Stage<R> {

    private static final int MAX_WORKERS = 1024;

    /** The pulling thread is woken when finished elements took this much processing time per active worker. */
    private static final long WAKE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** Number of chunks per worker and batch. More chunks balance uneven elements better; fewer cost less. */
    private static final int CHUNKS_PER_WORKER = 4;

    /** Longest desired duration of a chunk with several elements. */
    private static final long CHUNK_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

    private static final int NOT_TAKEN = -1;

    final Handler<? super T, ? extends R> handler;
    final SupervisedCall supervised;
    private final WorkerLimit limit;
    private final ChunkLoop loop;
    private final StageMeter meter;
    private final WorkerTasks tasks;
    private final Clock clock;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition room = lock.newCondition();
    private final HeadSignal headDone = new HeadSignal(lock, this::wantedHead);

    // Guarded by the lock.
    private final ChunkBacklog<T> backlog = new ChunkBacklog<>();
    private final StallClock stall;
    private int activeWorkers;
    private boolean ended;
    private boolean cancelled;
    private @Nullable Throwable upperFailure;

    /** A worker's failure, thrown at the next pull. Confined to the downstream thread. */
    private @Nullable Throwable pendingFailure;
    /** Time per element in the last chunk of any worker. Only a hint. */
    private volatile long nanosPerElement;

    /** True if a worker should end even though there is work. Written only while holding the lock. */
    private volatile boolean tooManyWorkers;

    // Set before the run starts.
    private @Nullable Segment<T> upper;
    private StageMeter pullerMeter = new StageMeter();

    private ParallelMap(
            WorkerLimit limit,
            Handler<? super T, ? extends R> handler,
            StageMeter meter,
            SupervisedCall supervised,
            WorkerTasks tasks,
            Clock clock) {
        this.limit = limit;
        this.handler = handler;
        this.loop = ChunkLoop.COPIES.forFunction(handler);
        this.meter = meter;
        this.supervised = supervised;
        this.tasks = tasks;
        this.clock = clock;
        this.stall = new StallClock(meter, limit.max());
    }

    /** See {@link dev.weir.stream.Source#mapParallel(Parallelism, Handler)}. */
    public static <T, R> BlueprintNode<R> node(
            BlueprintNode<T> above, Parallelism workers, Handler<? super T, ? extends R> handler) {
        if (workers.max() > MAX_WORKERS) {
            throw new IllegalArgumentException("workers must be 1 to " + MAX_WORKERS + ": workers=" + workers.max());
        }
        return new BlueprintNode<>(
                "mapParallel", (assembly, attributes) -> build(above, assembly, attributes, workers, handler));
    }

    private static <T, R> Stage<R> build(
            BlueprintNode<T> above,
            RunAssembly assembly,
            StageAttributes attributes,
            Parallelism wanted,
            Handler<? super T, ? extends R> handler) {
        Stage<T> upstream = above.build(assembly);
        String feederName = assembly.lastEntry().stageName();
        StageMeter feederMeter = assembly.segmentMeter();
        Dispatcher dispatcher = attributes.dispatcherOr(Dispatcher.cpu());
        int maxWorkers = Math.min(wanted.max(), dispatcher.size());
        WorkerLimit limit = new WorkerLimit(
                Parallelism.adaptive(Math.min(wanted.min(), maxWorkers), maxWorkers), System.nanoTime());
        StageEntry entry = assembly.threaded(attributes, dispatcher, maxWorkers);
        entry.parallelism(() -> Math.min(limit.current(), dispatcher.size()));
        WorkerTasks tasks = new WorkerTasks(assembly.tasks(), dispatcher, entry.stageName());
        Clock clock = assembly.clock();
        SupervisedCall supervised = SupervisedCall.by(attributes, clock);
        ParallelMap<T, R> stage = new ParallelMap<>(limit, handler, entry.meter(), supervised, tasks, clock);
        entry.depth(stage::depth);
        entry.keeper(stage::find);
        entry.activity(() -> stage.activity(entry.stageName()));
        entry.resizable(
                dispatcher, supervised.failedCalls(), () -> Math.min(MAX_WORKERS, dispatcher.size()), stage::resize);
        stage.upper = assembly.closeSegment(
                feederName, Dispatcher.virtual(), upstream, from -> stage.feed(from, feederMeter));
        stage.pullerMeter = assembly.segmentMeter();
        return stage;
    }

    private void feed(Stage<T> from, StageMeter feederMeter) throws InterruptedException {
        try {
            Batch<T> batch;
            while ((batch = from.pull(NEVER)) != null) {
                if (!batch.isEmpty() && !put(batch, feederMeter)) {
                    noteCutOff();
                    return;
                }
            }
            end(null);
        } catch (InterruptedException interrupted) {
            end(interrupted);
            throw interrupted;
        } catch (RuntimeException | Error failure) {
            TaskGroup.noteFailure(failure);
            end(failure);
        }
    }

    /** Waits for room and stores the batch. If the stage is cancelled, abandons the batch and returns false. */
    private boolean put(Batch<T> batch, StageMeter feederMeter) throws InterruptedException {
        int toStart = NOT_TAKEN;
        try {
            toStart = takeIn(batch, feederMeter);
        } finally {
            if (toStart == NOT_TAKEN) {
                batch.abandonAll();
            }
        }
        for (int i = 0; i < toStart; i++) {
            forkWorker();
        }
        return toStart != NOT_TAKEN;
    }

    /** Returns the number of workers to start, or {@code NOT_TAKEN} if the batch was not stored. */
    private int takeIn(Batch<T> batch, StageMeter feederMeter) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            if (backlog.isFull() && !cancelled) {
                feederMeter.beginBlockedDown(1);
                try {
                    do {
                        clock.await(lock, room, NEVER);
                    } while (backlog.isFull() && !cancelled);
                } finally {
                    feederMeter.endBlockedDown();
                }
            }
            if (cancelled) {
                return NOT_TAKEN;
            }
            meter.in(batch.size());
            WorkerBatch<T> work = new WorkerBatch<>(batch, wantedChunks(batch.size()));
            backlog.add(work);
            int toStart = Math.clamp(limit.current() - activeWorkers, 0, work.chunks());
            activeWorkers += toStart;
            return toStart;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns the number of chunks for a batch: several for each worker, and more if the chunks would take too long.
     */
    private int wantedChunks(int size) {
        long notTooLong = size * nanosPerElement / CHUNK_NANOS;
        return Math.max(limit.current() * CHUNKS_PER_WORKER, (int) Math.min(size, notTooLong));
    }

    private void forkWorker() {
        try {
            tasks.fork(this::work);
        } catch (RuntimeException | Error refused) {
            // Without a worker, nobody processes the stored elements. Cancel the stage, so that the downstream thread
            // gets the failure at once.
            lock.lock();
            try {
                cancelled = true;
                ended = true;
                if (upperFailure == null) {
                    upperFailure = refused;
                }
                room.signalAll();
                headDone.now();
            } finally {
                lock.unlock();
            }
            throw refused;
        }
    }

    /**
     * Records a failure to start a worker as a failure of the upstream thread. Call it before closing the upstream
     * stages.
     */
    private void noteCutOff() {
        Throwable cause;
        lock.lock();
        try {
            cause = upperFailure;
        } finally {
            lock.unlock();
        }
        if (cause != null) {
            TaskGroup.noteFailure(cause);
        }
    }

    private void end(@Nullable Throwable failure) {
        lock.lock();
        try {
            ended = true;
            if (upperFailure == null) {
                upperFailure = failure;
            }
            headDone.now();
        } finally {
            lock.unlock();
        }
    }

    private void work(Task self) {
        WorkerBatch<T> work;
        while ((work = nextWork()) != null) {
            int from;
            while (!tooManyWorkers && (from = work.takeChunk()) >= 0) {
                runChunk(work, from, self);
            }
        }
    }

    /** Returns the oldest batch with untaken elements, or null if the calling worker must end. */
    private @Nullable WorkerBatch<T> nextWork() {
        lock.lock();
        try {
            WorkerBatch<T> oldest = backlog.oldestUntaken();
            if (oldest == null || cancelled || activeWorkers > limit.current()) {
                activeWorkers--;
                tooManyWorkers = activeWorkers > limit.current();
                updateStall();
                return null;
            }
            return oldest;
        } finally {
            lock.unlock();
        }
    }

    private void noteWorked(int done, long nanos, long now) {
        lock.lock();
        try {
            limit.worked(done, nanos, backlog.isFull(), now);
            tooManyWorkers = activeWorkers > limit.current();
        } finally {
            lock.unlock();
        }
    }

    private void resize(int workers) {
        int toStart = 0;
        lock.lock();
        try {
            limit.hold(workers);
            stall.threads(workers);
            tooManyWorkers = activeWorkers > workers;
            if (!cancelled && backlog.oldestUntaken() != null) {
                toStart = Math.max(0, workers - activeWorkers);
                activeWorkers += toStart;
            }
        } finally {
            lock.unlock();
        }
        for (int i = 0; i < toStart; i++) {
            forkWorker();
        }
    }

    private void updateStall() {
        stall.update(activeWorkers == 0 && backlog.isFull() && !cancelled);
    }

    private void runChunk(WorkerBatch<T> work, int from, Task self) {
        int to = work.endOf(from);
        long start = System.nanoTime();
        loop.run(work, from, to, this, self);
        long end = System.nanoTime();
        meter.busy(end - start);
        meter.ran(end - start);
        nanosPerElement = (end - start) / (to - from);
        if (limit.isAdaptive()) {
            noteWorked(to - from, end - start, end);
        }
        if (work.finished(to - from)) {
            noteDone(work);
        }
    }

    private void noteDone(WorkerBatch<T> work) {
        lock.lock();
        try {
            backlog.done(work);
            if (!isHeadDone()) {
                return;
            }
            // With a test's clock, signal now: that clock does not control the delay of later().
            if (clock != Clock.SYSTEM || isWorthAWakeUp()) {
                headDone.now();
            } else {
                headDone.later();
            }
        } finally {
            lock.unlock();
        }
    }

    private boolean isWorthAWakeUp() {
        return backlog.isMuchDone() || backlog.doneElements() * nanosPerElement >= WAKE_NANOS * activeWorkers;
    }

    @Override
    public @Nullable Batch<R> pull(long deadlineNanos) throws InterruptedException {
        while (pendingFailure == null) {
            WorkerBatch<T> done = takeHead(deadlineNanos);
            if (done == null) {
                return isAtEnd() ? null : new Batch<>(0);
            }
            pendingFailure = done.failure();
            done.trim();
            Batch<R> out = done.batch.retyped();
            if (!out.isEmpty()) {
                meter.out(out.size());
                return out;
            }
        }
        throw FailureTransfer.rethrow(pendingFailure);
    }

    /** Returns the oldest batch once it is done, or null at the deadline or the end. */
    private @Nullable WorkerBatch<T> takeHead(long deadlineNanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            awaitHead(deadlineNanos);
            WorkerBatch<T> head = backlog.removeDoneHead();
            if (head != null) {
                if (!backlog.isFull()) {
                    room.signal();
                }
                updateStall();
            }
            return head;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns whether the stage has reached its end, after {@link #takeHead} returned no batch. Throws the failure of
     * the upstream stages.
     */
    private boolean isAtEnd() throws InterruptedException {
        lock.lock();
        try {
            if (atEnd() && upperFailure != null) {
                throw FailureTransfer.rethrowFromAbove(upperFailure);
            }
            return atEnd();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns whether no more batches will be emitted: the input has ended and is emitted, or the stage was cancelled.
     */
    private boolean atEnd() {
        return ended && (cancelled || backlog.isEmpty());
    }

    private boolean isHeadDone() {
        return backlog.doneHead() != null;
    }

    private @Nullable WorkerBatch<T> wantedHead() {
        return cancelled ? null : backlog.doneHead();
    }

    private void awaitHead(long deadlineNanos) throws InterruptedException {
        if (isHeadDone() || atEnd()) {
            return;
        }
        pullerMeter.beginBlockedUp();
        try {
            while (!isHeadDone() && !atEnd() && !clock.hasPassed(deadlineNanos)) {
                clock.await(lock, headDone.condition(), deadlineNanos);
            }
        } finally {
            pullerMeter.endBlockedUp();
        }
    }

    @Override
    public void close() {
        if (upper != null) {
            upper.cancel();
        }
        List<WorkerBatch<T>> left;
        lock.lock();
        try {
            cancelled = true;
            ended = true;
            updateStall();
            room.signalAll();
            left = backlog.all();
        } finally {
            lock.unlock();
        }
        tasks.cancel();
        left.forEach(WorkerBatch::cancel);
    }

    private Activity activity(String stage) {
        int begun = tasks.begun();
        int waiting = Math.min(begun, tasks.waiting());
        int behindLock = Math.min(waiting, tasks.behindLock());
        Activity workers;
        lock.lock();
        try {
            int ready = backlog.oldestUntaken() == null ? 0 : backlog.elements();
            workers = Activity.of(stage, null, tasks.dispatcher().snapshot(), begun, waiting, ready, 0, "", behindLock);
        } finally {
            lock.unlock();
        }
        return tasks.withWaits(workers);
    }

    private int depth() {
        lock.lock();
        try {
            return backlog.elements();
        } finally {
            lock.unlock();
        }
    }

    private @Nullable Kept find(AckTarget of, long ofToken) {
        lock.lock();
        try {
            return backlog.find(of, ofToken);
        } finally {
            lock.unlock();
        }
    }
}
