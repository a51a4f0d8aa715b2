package dev.weir.stream.internal.parallel;

import dev.weir.stream.Dispatcher;
import dev.weir.stream.Ordering;
import dev.weir.stream.Parallelism;
import dev.weir.stream.internal.failure.FailureVerdict;
import dev.weir.stream.internal.failure.SupervisedCall;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.TaskGroup.Task;
import dev.weir.stream.internal.workers.WorkerLimit;
import dev.weir.stream.internal.workers.WorkerTasks;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.StageMeter;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Starts an asynchronous computation for each element, limits the number of running computations, and emits their
 * results. The upstream thread (the feeder) adds elements to the table and starts their computations; any thread may
 * complete them; the downstream thread pulls the results.
 *
 * <p>One thread at a time, the <em>starter</em>, calls the user's function; it has set {@link #starting}. The starter
 * is usually the feeder. If an element becomes ready while the feeder is busy upstream, a task of the run starts it.
 * User code never runs on the completing threads, after the end of the run, or recursively.
 *
 * <p>A failed element is retried on its own virtual thread and counts as running until the retry ends. Retries and the
 * starter take turns calling the function.
 */
final class AsyncStage<T, R> extends ParallelStage<T, R> implements AsyncComputations.Owner<R> {

    private static final int MAX_PARALLELISM = 100_000;

    private final AsyncComputations<T, R> computations;

    // Guarded by the lock.
    private final InFlight<R> inFlight;
    private final InHand<T> inHand = new InHand<>();
    private boolean starting;
    private boolean starterCalled;

    /** The elements that the starter is starting. Used only by the thread that has set {@link #starting}. */
    private final StarterRun run = new StarterRun();

    AsyncStage(
            WorkerLimit limit,
            Ordering<? super T> ordering,
            Function<? super T, ? extends CompletionStage<? extends R>> function,
            SupervisedCall supervised,
            StageMeter meter,
            WorkerTasks tasks,
            Clock clock,
            int capacity) {
        super(limit, ordering, WorkerStages.gateOf(function), supervised, meter, limit.max(), tasks, clock, capacity);
        AsyncCalls<T, R> calls = new AsyncCalls<>("mapAsync", function, gate, supervised.retries());
        this.computations = new AsyncComputations<>(this, calls, supervised, table, tasks);
        this.inFlight = new InFlight<>(table.slots(), meter);
    }

    static <T, R> BlueprintNode<R> node(
            BlueprintNode<T> above,
            Parallelism parallelism,
            Ordering<? super T> ordering,
            Function<? super T, ? extends CompletionStage<? extends R>> function) {
        WorkerStages.check("parallelism", parallelism, MAX_PARALLELISM);
        return new BlueprintNode<>("mapAsync", (assembly, attributes) -> {
            Dispatcher dispatcher = attributes.dispatcherOr(Dispatcher.virtual());
            // Futures may run on any executor, so the dispatcher's size does not limit them.
            return WorkerStages.<T, R>build(
                    above,
                    assembly,
                    attributes,
                    parallelism,
                    dispatcher,
                    () -> Integer.MAX_VALUE,
                    true,
                    parts -> new AsyncStage<>(
                            parts.limit(),
                            ordering,
                            function,
                            parts.supervised(),
                            parts.meter(),
                            parts.tasks(),
                            parts.clock(),
                            parts.capacity()));
        });
    }

    // ---- The feeder.

    /** Adds all elements and starts elements up to the limit. Returns when no element is left to add or start. */
    @Override
    boolean add(Batch<T> batch, long[] keysOfBatch, StageMeter feederMeter) throws InterruptedException {
        try {
            lock.lockInterruptibly();
        } catch (InterruptedException interrupted) {
            batch.abandonAll();
            throw interrupted;
        }
        try {
            inHand.begin(batch);
            while (!cancelled) {
                while (inHand.hasNext() && offer(batch, inHand.next(), keysOfBatch)) {
                    inHand.taken();
                }
                toAdd.set(inHand.size());
                if (takeRun()) {
                    startRun();
                } else if (!inHand.hasNext() && table.readyCount() == 0) {
                    return true;
                } else if (!inHand.hasRevokedNext()) {
                    boolean forRoom = inHand.hasNext();
                    awaitCall(
                            forRoom,
                            forRoom ? ElementKeys.at(keysOfBatch, inHand.next()) : Ordering.NO_KEY,
                            feederMeter);
                } else {
                    dropInHand();
                }
            }
            return false;
        } finally {
            Batch<?> left = inHand.end();
            lock.unlock();
            left.abandonAll();
        }
    }

    private boolean offer(Batch<T> batch, int index, long[] keysOfBatch) {
        return table.offer(
                batch.get(index), batch.target(index), batch.token(index), ElementKeys.at(keysOfBatch, index));
    }

    /** Drops revoked elements of the feeder's batch. Called with the lock held; releases it while dropping. */
    private void dropInHand() {
        Batch<?> revoked = inHand.takeRevoked();
        lock.unlock();
        try {
            revoked.dropAllRevoked();
        } finally {
            lock.lock();
        }
    }

    // ---- The starter.

    private boolean canStart() {
        return !starting && !cancelled && table.readyCount() > 0 && inFlight.count() < limit.current();
    }

    /**
     * Takes elements whose computations the calling thread must start. Returns false if there are none. Called with the
     * lock held.
     */
    private boolean takeRun() {
        if (!canStart()) {
            return false;
        }
        // Other threads cannot drop a taken element, so take only one if calls may wait at a gate.
        run.take(table, limit.current() - inFlight.count(), gate == null ? Integer.MAX_VALUE : 1);
        starting = true;
        return true;
    }

    /**
     * Starts the computations of the taken elements, and settles elements whose outcome is available at once. Called
     * with the lock held; releases it meanwhile.
     */
    private void startRun() {
        Throwable broken = null;
        lock.unlock();
        try {
            run.start(computations);
            meter.ran(run.nanos());
        } catch (RuntimeException | Error thrown) {
            // Fail without waiting for the started elements, which may never complete.
            broken = thrown;
        } finally {
            lock.lock();
            starting = false;
        }
        if (broken != null) {
            fail(broken);
        }
        run.giveBackRest(table);
        if (settleRun()) {
            // Elements behind a revoked element may be revoked too. Drop them now, because the next call may block.
            dropReadyRevokedMeanwhile();
        }
        if (closed) {
            Batch<?> late = table.removePending();
            lock.unlock();
            try {
                late.abandonAll();
            } finally {
                lock.lock();
            }
        }
    }

    /**
     * Settles the elements whose outcome is known. Returns whether one of them was revoked. Called with the lock held.
     */
    private boolean settleRun() {
        int done = 0;
        boolean revoked = false;
        for (int i = 0; i < run.length(); i++) {
            int slot = run.slot(i);
            Object outcome = run.takeOutcome(i);
            revoked |= outcome == FailureVerdict.REVOKED;
            if (outcome != null && !cancelled) {
                settle(slot, outcome);
                done++;
            } else if (outcome instanceof FailureVerdict verdict && verdict.fails()) {
                table.giveBack(slot);
            } else if (outcome != null) {
                table.complete(slot, outcome);
            }
        }
        meter.busy(run.nanos());
        if (done > 0) {
            if (limit.isAdaptive()) {
                limit.worked(done, run.nanos(), table.isFull(), System.nanoTime());
            }
            afterSettling();
        }
        return revoked;
    }

    /** Wakes the downstream thread and the feeder if they can continue. Called with the lock held. */
    private void afterSettling() {
        callPuller();
        if ((feederCall.isWaiting() && canStart()) || feederCall.hasRoom()) {
            feederCall.call();
        }
    }

    /** Starts elements that became ready while the feeder was busy upstream. Runs as a separate task. */
    private void startReady(Task self) {
        lock.lock();
        try {
            while (self.mayGoOn() && takeRun()) {
                startRun();
            }
            starterCalled = false;
            if (feederCall.isWaiting()) {
                feederCall.call();
            }
        } finally {
            lock.unlock();
        }
    }

    // ---- Completions, on any thread.

    @Override
    public boolean isCancelled() {
        return cancelled;
    }

    @Override
    public boolean admit(RunningComputation<R> running) {
        lock.lock();
        try {
            if (!cancelled) {
                inFlight.add(running);
                return true;
            }
        } finally {
            lock.unlock();
        }
        // The stage was cancelled or closed during the call of the function.
        running.cancel();
        table.abandon(running.slot());
        return false;
    }

    @Override
    public void finished(RunningComputation<R> of, Object outcome) {
        int slot = of.slot();
        boolean fork = false;
        boolean late = false;
        lock.lock();
        try {
            long now = System.nanoTime();
            boolean ignored = inFlight.remove(of, now);
            if (cancelled) {
                late = !(outcome instanceof FailureVerdict verdict) || verdict.fails();
            } else {
                limit.worked(1, now - of.startNanos(), table.isFull(), now);
                settle(slot, outcome);
                afterSettling();
                fork = callForReady() > 0;
            }
        } finally {
            lock.unlock();
        }
        if (late) {
            table.abandon(slot);
        }
        if (fork) {
            forkStarter();
        }
        if (outcome == FailureVerdict.REVOKED) {
            dropReadyRevoked();
        }
    }

    /**
     * Returns the number of waiting calls. Started computations count as waiting, because they use no thread of this
     * stage.
     */
    @Override
    int waitingCalls(int waitingTasks) {
        return Math.max(inFlight.count(), table.runningCount() - 1);
    }

    @Override
    int callForReady() {
        if (canStart() && !feederCall.isWaiting() && !starterCalled) {
            starterCalled = true;
            return 1;
        }
        return 0;
    }

    @Override
    void forkMore(int count) {
        if (count > 0) {
            forkStarter();
        }
    }

    @Override
    void wakeFeeder() {
        super.wakeFeeder();
        // The feeder may be waiting at the gate. Drop its revoked elements here.
        dropInHand();
    }

    private void forkStarter() {
        try {
            tasks.fork(this::startReady);
        } catch (RuntimeException | Error refused) {
            // The calling thread may be completing a user's future, so it must not get the exception.
            failForkless(refused);
        }
    }

    @Override
    List<RunningComputation<R>> detachRunning() {
        return inFlight.detachAll();
    }
}
