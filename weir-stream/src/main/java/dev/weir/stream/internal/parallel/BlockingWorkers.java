package dev.weir.stream.internal.parallel;

import dev.weir.stream.Dispatcher;
import dev.weir.stream.Handler;
import dev.weir.stream.Ordering;
import dev.weir.stream.Parallelism;
import dev.weir.stream.internal.failure.FailureVerdict;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.TaskGroup.Task;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.StageMeter;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

/**
 * Processes many elements concurrently on worker threads. A worker takes a ready element, calls the handler, which may
 * block, and then takes the next element. The upstream thread adds elements to the table; the downstream thread pulls
 * finished ones. The stage's lock guards all shared state; handlers run without it.
 *
 * <p>Workers start when there are more ready elements than idle workers, up to the limit. An idle worker on a virtual
 * thread waits for more elements. An idle worker on a thread pool ends, so that several stages can use the pool.
 *
 * <p>If handlers are quick, waking a worker costs more than the work itself. A few workers then take several elements
 * per lock acquisition ({@link WorkerRun}), and another worker watches them. The watcher checks every millisecond,
 * wakes more workers if no element has been taken, and takes unstarted elements back from a stuck worker.
 */
public final class BlockingWorkers<T, R> extends ParallelStage<T, R> {

    private static final int MAX_CONCURRENCY = 100_000;
    private static final int NONE = -1;

    /** Returned if the worker must end and has no element to abandon. */
    private static final int STOPPED = -2;

    private static final int IN_A_ROW = 64;

    private static final long IDLE_WORKER_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long WATCH_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** With quick handlers, another worker is woken each time the ready elements need this much more handler time. */
    private static final long WORTH_A_LANE_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

    /** To leave together, finished elements wait for at most the average handler duration divided by this number. */
    private static final int GATHER_PART = 8;

    private static final long SHORTEST_GATHER_NANOS = TimeUnit.MICROSECONDS.toNanos(100);
    private static final long LONGEST_GATHER_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final boolean workersWait;
    private final long idleWorkerNanos;
    private final HandlerCalls<T, R> calls;
    private final Condition readyOrEnded = lock.newCondition();
    private final Condition watch = lock.newCondition();
    private final WorkerRuns runs = new WorkerRuns(table, this::settle);

    // Guarded by the lock.
    final HandlerPace pace = new HandlerPace();
    private int workers;
    private int idleWorkers;
    private boolean watchWanted;
    private boolean watching;
    private long taken;

    BlockingWorkers(Ordering<? super T> ordering, Handler<? super T, ? extends R> handler, WorkerStages.Parts parts) {
        super(
                parts.limit(),
                ordering,
                WorkerStages.gateOf(handler),
                parts.supervised(),
                parts.meter(),
                Math.min(parts.limit().max(), parts.tasks().dispatcher().size()),
                parts.tasks(),
                parts.clock(),
                parts.capacity());
        this.workersWait = tasks.dispatcher().kind() == Dispatcher.Kind.VIRTUAL;
        // No timeout with a test clock: it would count idle workers as waiting for time to pass.
        this.idleWorkerNanos = clock == Clock.SYSTEM ? IDLE_WORKER_NANOS : NEVER;
        this.calls = new HandlerCalls<>(handler, gate, supervised, table);
    }

    /** See {@link dev.weir.stream.Source#mapBlocking(Parallelism, Ordering, Handler)}. */
    public static <T, R> BlueprintNode<R> node(
            BlueprintNode<T> above,
            Parallelism concurrency,
            Ordering<? super T> ordering,
            Handler<? super T, ? extends R> handler) {
        WorkerStages.check("concurrency", concurrency, MAX_CONCURRENCY);
        return node(above, concurrency, true, ordering, handler);
    }

    /**
     * Returns a node that calls the handler with one element at a time, in order. The parallelism is fixed, because a
     * call may depend on the previous one.
     */
    public static <T, R> BlueprintNode<R> sequential(BlueprintNode<T> above, Handler<? super T, ? extends R> handler) {
        return node(above, Parallelism.fixed(1), false, Ordering.input(), handler);
    }

    private static <T, R> BlueprintNode<R> node(
            BlueprintNode<T> above,
            Parallelism concurrency,
            boolean resizable,
            Ordering<? super T> ordering,
            Handler<? super T, ? extends R> handler) {
        return new BlueprintNode<>("mapBlocking", (assembly, attributes) -> {
            Dispatcher chosen = attributes.dispatcherOr(Dispatcher.virtual());
            return WorkerStages.<T, R>build(
                    above,
                    assembly,
                    attributes,
                    concurrency,
                    chosen,
                    chosen::size,
                    resizable,
                    parts -> new BlockingWorkers<>(ordering, handler, parts));
        });
    }

    @Override
    boolean add(Batch<T> batch, long[] keysOfBatch, StageMeter feederMeter) throws InterruptedException {
        int added = 0;
        while (added < batch.size()) {
            if (batch.dropIfRevoked(added)) {
                added++;
                continue;
            }
            int next = NONE;
            try {
                next = addSome(batch, keysOfBatch, added, feederMeter);
            } catch (InterruptedException interrupted) {
                batch.abandonFrom(added);
                throw interrupted;
            }
            if (next == NONE) {
                batch.abandonFrom(added);
                return false;
            }
            added = next;
            toAdd.set(batch.size() - added);
        }
        return true;
    }

    /**
     * Adds elements from index {@code from} on while there is room. Returns the next index, or NONE if the stage was
     * cancelled.
     */
    private int addSome(Batch<T> batch, long[] keysOfBatch, int from, StageMeter feederMeter)
            throws InterruptedException {
        int toStart;
        int i = from;
        lock.lockInterruptibly();
        try {
            awaitRoom(batch, i, ElementKeys.at(keysOfBatch, i), feederMeter);
            if (cancelled) {
                return NONE;
            }
            while (i < batch.size()
                    && table.offer(batch.get(i), batch.target(i), batch.token(i), ElementKeys.at(keysOfBatch, i))) {
                i++;
            }
            toStart = callForReady();
        } finally {
            lock.unlock();
        }
        try {
            forkMore(toStart);
        } catch (RuntimeException | Error refused) {
            batch.abandonFrom(i);
            throw refused;
        }
        return i;
    }

    /** Waits until there is room for an element or the element is revoked. Called with the lock held. */
    private void awaitRoom(Batch<T> batch, int index, long key, StageMeter feederMeter) throws InterruptedException {
        while (!table.hasRoomFor(key) && !cancelled && !batch.isRevoked(index)) {
            awaitCall(true, key, feederMeter);
        }
    }

    /** Wakes workers for ready elements. Returns the number of workers to start. Called with the lock held. */
    @Override
    int callForReady() {
        int ready = table.readyCount();
        int startable = Math.max(0, limit.current() - workers);
        int useful = Math.min(ready, idleWorkers + startable);
        int wanted = useful;
        if (workersWait && pace.isQuick()) {
            int atWork = workers - idleWorkers - (watching ? 1 : 0);
            wanted = Math.clamp(1L + ready * pace.nanos() / WORTH_A_LANE_NANOS - atWork, 0, useful);
            if (wanted < useful && !watching && !watchWanted) {
                watchWanted = true;
                wanted++;
            }
        }
        for (int n = Math.min(wanted, idleWorkers); n > 0; n--) {
            readyOrEnded.signal();
        }
        int toStart = Math.max(0, wanted - idleWorkers);
        workers += toStart;
        return toStart;
    }

    @Override
    void forkMore(int count) {
        for (int n = 0; n < count; n++) {
            forkWorker();
        }
    }

    private void forkWorker() {
        try {
            tasks.fork(this::runWorker);
        } catch (RuntimeException | Error refused) {
            failForkless(refused);
            throw refused;
        }
    }

    private void runWorker(Task self) {
        TimedRun timed = new TimedRun(meter, pace, limit);
        WorkerRun run = new WorkerRun();
        int late = NONE;
        lock.lock();
        try {
            while (late == NONE) {
                late = workOnSome(self, timed, run);
            }
        } finally {
            workers--;
            lock.unlock();
            if (late >= 0) {
                table.abandon(late);
            }
        }
    }

    /**
     * Processes up to {@code IN_A_ROW} runs of elements. Called with the lock held; releases it meanwhile.
     *
     * <p>This is a separate method so that the JIT compiler compiles it. The worker's endless loop stays interpreted,
     * and virtual threads park and resume slowly in interpreted frames.
     *
     * @return NONE to continue. Otherwise the worker must end, and the value is STOPPED or the slot of an element that
     *     was not settled before the stage was closed
     */
    private int workOnSome(Task self, TimedRun timed, WorkerRun run) {
        int late = NONE;
        for (int n = 0; late == NONE && n < IN_A_ROW; n++) {
            int slot = nextSlot(self, timed);
            if (slot < 0) {
                return STOPPED;
            }
            int most = runLength();
            run.begin(slot, table, most);
            if (table.readyCount() == 0) {
                feederCall.callIfAmpleRoom();
            }
            late = workOnRun(run, most > 1, self, timed);
        }
        return late;
    }

    /**
     * Returns the maximum number of elements in a worker's next run: several only if handlers are quick and a watcher
     * can take unstarted elements back. Called with the lock held.
     */
    private int runLength() {
        if (!watching || gate != null || !pace.isQuick()) {
            return 1;
        }
        return Math.min(pace.runLength(), 1 + table.readyCount() / 2);
    }

    /**
     * Processes the elements of {@code run}. Called with the lock held; releases it meanwhile.
     *
     * @return NONE to continue. Otherwise the worker must end, and the value is STOPPED or the slot of an element that
     *     was not settled before the stage was closed
     */
    private int workOnRun(WorkerRun run, boolean several, Task self, TimedRun timed) {
        if (several) {
            runs.add(run);
        }
        lock.unlock();
        Object last = null;
        try {
            last = workOn(run, self, timed);
        } finally {
            lock.lock();
            if (several) {
                runs.remove(run);
            }
            int ignored = run.takeBack(table);
            if (last == null) {
                // A fatal error is propagating.
                noteGatheredIn(runs.gatherIn(run));
            }
        }
        if (closed) {
            // Closing the stage has settled all elements of the run except the last. The caller abandons the last
            // element, unless a verdict has settled it.
            return run.hasDone() && (WorkerRun.ends(last) || !(last instanceof FailureVerdict)) ? run.slot() : STOPPED;
        }
        if (!WorkerRun.ends(last)) {
            timed.account(table);
        }
        boolean revoked = false;
        while (run.hasDone()) {
            int slot = run.slot();
            Object outcome = run.takeOutcome();
            settle(slot, outcome);
            revoked |= outcome == FailureVerdict.REVOKED;
        }
        callPuller();
        if (WorkerRun.ends(last)) {
            return STOPPED;
        }
        feederCall.callIfAmpleRoom();
        if (revoked) {
            dropReadyRevokedMeanwhile();
        }
        return NONE;
    }

    /** Processes the elements of a run. Returns the outcome of the last started element. */
    private Object workOn(WorkerRun run, Task self, TimedRun timed) {
        Object outcome = FailureVerdict.REVOKED;
        int worked = 0;
        timed.begin();
        for (int slot = run.takeNext(); slot >= 0; slot = mayGoOn(self, outcome) ? run.takeNext() : NONE) {
            if (table.dropIfRevoked(slot)) {
                outcome = FailureVerdict.REVOKED;
            } else {
                outcome = calls.callFor(slot);
                worked++;
            }
            run.put(outcome);
        }
        timed.add(worked);
        return outcome;
    }

    private boolean mayGoOn(Task self, Object outcome) {
        return !WorkerRun.ends(outcome) && !cancelled && self.mayGoOn();
    }

    @Override
    void gatherIn() {
        noteGatheredIn(runs.gatherIn());
    }

    private void noteGatheredIn(boolean any) {
        if (any) {
            callPuller();
            feederCall.callIfAmpleRoom();
        }
    }

    @Override
    int notBegun() {
        return runs.notBegun();
    }

    @Override
    long gatherNanos() {
        // Do not gather with a test clock: the elements would wait until the test advances the clock.
        long nanos = clock == Clock.SYSTEM && workersWait ? pace.nanos() / GATHER_PART : 0;
        return nanos < SHORTEST_GATHER_NANOS ? 0 : Math.min(nanos, LONGEST_GATHER_NANOS);
    }

    @Override
    boolean isWorthGathering() {
        return table.readyCount() >= workers && !table.hasManyDone();
    }

    @Override
    int waitingCalls(int waitingTasks) {
        return waitingTasks - idleWorkers - (watching ? 1 : 0);
    }

    @Override
    void afterEnd() {
        readyOrEnded.signalAll();
    }

    @Override
    void wakeAll() {
        super.wakeAll();
        readyOrEnded.signalAll();
        watch.signal();
    }

    /**
     * Returns the slot of the next element, possibly after a wait. Returns -1 if the worker must end. Called with the
     * lock held.
     */
    private int nextSlot(Task self, TimedRun timed) {
        while (!cancelled && self.mayGoOn()) {
            if (workers > limit.current()) {
                // This worker ends, but may have been woken to take an element or to watch. Wake another worker
                // instead. If none is idle, a later call of callForReady must request the watch again.
                watchWanted &= idleWorkers > 0;
                readyOrEnded.signal();
                return -1;
            }
            if (watchWanted) {
                timed.end();
                timed.account(table);
                standWatch(self);
                continue;
            }
            int slot = table.takeReady();
            if (slot >= 0) {
                taken++;
                return slot;
            }
            timed.end();
            timed.account(table);
            if (!workersWait || (ended && table.isEmpty())) {
                return -1;
            }
            long untilNanos = clock.after(idleWorkerNanos);
            idleWorkers++;
            try {
                clock.await(lock, readyOrEnded, untilNanos);
                if (clock.hasPassed(untilNanos) && table.readyCount() == 0 && !watchWanted) {
                    return -1;
                }
            } catch (InterruptedException ignored) {
                // The loop condition checks whether the interrupt was meant for this worker.
            } finally {
                idleWorkers--;
            }
        }
        return -1;
    }

    /**
     * Watches whether workers make progress. Returns when there is nothing to watch, handlers are slow, or elements are
     * stuck. Called with the lock held; may release it meanwhile.
     */
    private void standWatch(Task self) {
        watchWanted = false;
        self.waitsBriefly(true);
        watching = true;
        int toStart = 0;
        try {
            boolean goesOn = true;
            while (goesOn && (table.readyCount() > 0 || !runs.isEmpty()) && pace.isQuick() && !cancelled) {
                long takenBefore = taken;
                long ignored = watch.awaitNanos(WATCH_NANOS);
                goesOn = !gatherInStuck() && (taken != takenBefore || table.readyCount() == 0);
            }
        } catch (InterruptedException ignored) {
            // The caller's loop checks whether the interrupt was meant for this worker.
        } finally {
            watching = false;
            self.waitsBriefly(false);
            // Without a watcher, take back the elements that have not been started.
            gatherIn();
        }
        if (table.readyCount() > 0 && !cancelled) {
            pace.addSlow();
            toStart = callForReady();
        }
        if (toStart > 0) {
            lock.unlock();
            try {
                forkMore(toStart);
            } finally {
                lock.lock();
            }
        }
    }

    /**
     * Takes unstarted elements back from runs without progress, and settles their finished elements. Returns whether
     * there were any such elements.
     */
    private boolean gatherInStuck() {
        boolean any = runs.gatherInStuck();
        noteGatheredIn(any);
        return any;
    }

    @Override
    void afterPull() {
        if (ended && table.isEmpty()) {
            readyOrEnded.signalAll();
        }
    }
}
