package dev.weir.stream.internal.parallel;

import dev.weir.stream.internal.workers.WorkerTasks;
import dev.weir.stream.internal.workers.Limit;
import dev.weir.stream.Dispatcher;
import dev.weir.stream.Ordering;
import dev.weir.stream.Parallelism;
import dev.weir.stream.Supervision.Decision;
import dev.weir.stream.internal.failure.Supervised;
import dev.weir.stream.internal.failure.Verdict;
import dev.weir.stream.internal.run.Node;
import dev.weir.stream.internal.run.TaskGroup.Task;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.StageMeter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.Condition;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Starts an asynchronous computation for each element, with a bounded number of them running, and hands their results on.
 * The segment above feeds the table of elements and starts them; any thread may complete them; the segment below pulls.
 *
 * <p>The user's function is called by one thread at a time, the <em>starter</em>: whoever set {@link #starting}. As a rule
 * that is the feeder, which does not ask for more while there is something to start. A completion never calls the function:
 * if it makes an element ready while the feeder is busy above, it starts a task of the run for it. So user code neither
 * runs on threads of strangers, nor after the end, nor in itself however deep futures complete at once.
 *
 * <p>If failures are to be retried, a virtual thread does that for the element, which counts as running meanwhile; it and
 * the starter take turns in calling the function.
 */
final class AsyncLanes<T, R> extends Lanes<T, R> {

    private static final int MAX_PARALLELISM = 100_000;

    private final AsyncCalls<T, R> calls;
    private final Condition feederCalled = lock.newCondition();

    // Under the lock.
    private final InFlight<R> inFlight;
    private final InHand<T> inHand = new InHand<>();
    private boolean starting;
    private boolean starterCalled;
    private boolean feederWaits;

    /** Of the starter: handed on with {@link #starting}. */
    private final StarterRun run = new StarterRun();

    AsyncLanes(
            Limit limit,
            Ordering<? super T> ordering,
            Function<? super T, ? extends CompletionStage<? extends R>> function,
            Supervised supervised,
            StageMeter meter,
            WorkerTasks tasks,
            Clock clock) {
        super(limit, ordering, gateOf(function), supervised, meter, limit.max(), tasks, clock);
        this.calls = new AsyncCalls<>("mapAsync", function, gate, supervised.retries());
        this.inFlight = new InFlight<>(table.slots(), meter);
    }

    static <T, R> Node<R> node(
            Node<T> above,
            Parallelism parallelism,
            Ordering<? super T> ordering,
            Function<? super T, ? extends CompletionStage<? extends R>> function) {
        if (parallelism.max() > MAX_PARALLELISM) {
            throw new IllegalArgumentException(
                    "parallelism must be 1 to " + MAX_PARALLELISM + ": parallelism=" + parallelism.max());
        }
        return new Node<>("mapAsync", (assembly, attributes) -> {
            Dispatcher dispatcher = attributes.dispatcherOr(Dispatcher.virtual());
            return Lanes.<T, R>build(above, assembly, attributes, dispatcher, parallelism.max(), (entry, tasks) -> {
                Limit limit = new Limit(parallelism, System.nanoTime());
                // Futures run wherever they like: the dispatcher's size is no bound.
                entry.parallelism(limit::current);
                Clock clock = assembly.clock();
                Supervised supervised = Supervised.by(attributes, clock);
                return new AsyncLanes<>(limit, ordering, function, supervised, entry.meter(), tasks, clock);
            });
        });
    }

    // ---- The feeder.

    /** Adds all elements and starts what can be; returns once nothing waits for the limit. */
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
                    awaitsRoom = inHand.hasNext();
                    awaitedKey = awaitsRoom ? Keys.at(keysOfBatch, inHand.next()) : Ordering.NO_KEY;
                    awaitCall(feederMeter);
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
        return table.offer(batch.get(index), batch.target(index), batch.token(index), Keys.at(keysOfBatch, index));
    }

    /** Under the lock, which it gives up meanwhile: drops what of the feeder's batch was lost. */
    private void dropInHand() {
        Batch<?> revoked = inHand.takeRevoked();
        lock.unlock();
        try {
            revoked.dropAllRevoked();
        } finally {
            lock.lock();
        }
    }

    /** Under the lock: waits until there may be room, or something to start; the caller looks again. */
    private void awaitCall(StageMeter feederMeter) throws InterruptedException {
        feederMeter.beginBlockedDown(1);
        feederWaits = true;
        updateStall();
        try {
            clock.await(lock, feederCalled, NEVER);
        } finally {
            feederWaits = false;
            awaitsRoom = false;
            updateStall();
            feederMeter.endBlockedDown();
        }
    }

    // ---- The starter.

    private boolean canStart() {
        return !starting && !cancelled && table.readyCount() > 0 && inFlight.count() < limit.current();
    }

    /** Under the lock: takes on elements to start, if there are any; the caller is then the starter. */
    private boolean takeRun() {
        if (!canStart()) {
            return false;
        }
        // What was taken cannot be dropped by others: where a call may wait, one at a time.
        run.take(table, limit.current() - inFlight.count(), gate == null ? Integer.MAX_VALUE : 1);
        starting = true;
        return true;
    }

    /**
     * Under the lock, which it gives up meanwhile: starts what was taken until as many run as may, and completes what was
     * done at once.
     */
    private void startRun() {
        Throwable broken = null;
        lock.unlock();
        try {
            run.start(this);
        } catch (RuntimeException | Error thrown) {
            // What was taken on may never be done, so the failure must not wait behind it. The rest is left to the
            // close.
            broken = thrown;
        } finally {
            lock.lock();
            starting = false;
        }
        if (broken != null) {
            fail(broken);
        }
        run.giveBackRest(table);
        boolean revoked = settleRun();
        if (revoked) {
            // Others may wait behind it, while the next call waits for something else.
            lock.unlock();
            try {
                dropReadyRevoked();
            } finally {
                lock.lock();
            }
        }
        if (closed) {
            Batch<?> late = table.removeClaims();
            lock.unlock();
            try {
                late.abandonAll();
            } finally {
                lock.lock();
            }
        }
    }

    /** Its result if that is there at once, a {@link Verdict}, or null if it runs. */
    @Nullable
    Object start(int slot) {
        if (dropIfRevoked(slot)) {
            return Verdict.REVOKED;
        }
        @Nullable CompletionStage<? extends R> stage;
        CompletableFuture<? extends R> future;
        try {
            stage = calls.call(table.value(slot), () -> isRevoked(slot));
            if (stage == null) {
                boolean ignored = dropIfRevoked(slot);
                return Verdict.REVOKED;
            }
            future = Running.futureOf(stage);
            if (future != null && future.isDone()) {
                return outcomeOf(future, slot);
            }
        } catch (Throwable thrown) {
            return afterFailure(thrown, slot);
        }
        Running<R> running = new Running<>(this, slot, future);
        // Before the callback can come: from then on a close can cancel it.
        if (note(running)) {
            running.listen(stage);
        }
        return null;
    }

    private boolean note(Running<R> running) {
        lock.lock();
        try {
            if (!cancelled) {
                inFlight.add(running);
                return true;
            }
        } finally {
            lock.unlock();
        }
        // The close has come and gone while the function was being called.
        running.cancel();
        abandon(running.slot());
        return false;
    }

    private @Nullable Object outcomeOf(CompletableFuture<? extends R> done, int slot) {
        return switch (done.state()) {
            case SUCCESS -> resultOr(done.resultNow(), slot);
            case FAILED -> afterFailure(done.exceptionNow(), slot);
            default -> afterFailure(Running.cancellationOf(done), slot);
        };
    }

    private @Nullable Object resultOr(@Nullable R result, int slot) {
        return result != null ? result : afterFailure(calls.completedWithNull(), slot);
    }

    /** What the supervision decided on an element whose first call failed at once, or null if it is being retried. */
    private @Nullable Verdict afterFailure(Throwable thrown, int slot) {
        if (!supervised.retries()) {
            return settled(verdictOn(thrown, supervised::decide), slot);
        }
        Running<R> running = new Running<>(this, slot, null);
        // It is the retry's own from here on, as that of a future whose completion has come.
        boolean ignored = running.detach();
        if (note(running)) {
            retry(running, thrown);
        }
        return null;
    }

    /** Acknowledges an element that is to be dropped if it is to be. A target that refuses fails the stage, not its caller. */
    private Verdict settled(Verdict verdict, int slot) {
        try {
            verdict.settle(table.target(slot), table.token(slot));
            return verdict;
        } catch (RuntimeException | Error refused) {
            return new Verdict(Decision.FAIL, refused);
        }
    }

    private Verdict verdictOn(Throwable thrown, Function<Throwable, Verdict> decide) {
        if (cancelled || tasks.isRunCancelled()) {
            return new Verdict(Decision.FAIL, thrown);
        }
        try {
            return decide.apply(thrown);
        } catch (VirtualMachineError fatal) {
            return new Verdict(Decision.FAIL, fatal);
        }
    }

    /** Under the lock; whether an element was dropped that its source had lost. */
    private boolean settleRun() {
        int done = 0;
        boolean revoked = false;
        for (int i = 0; i < run.length(); i++) {
            int slot = run.slot(i);
            Object outcome = run.takeOutcome(i);
            revoked |= outcome == Verdict.REVOKED;
            if (outcome != null && !cancelled) {
                settle(slot, outcome);
                done++;
            } else if (outcome instanceof Verdict verdict && verdict.fails()) {
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

    /** Under the lock. */
    private void settle(int slot, Object outcome) {
        if (outcome instanceof Verdict verdict && verdict.fails()) {
            Throwable cause = verdict.failure();
            // Left to the close, with all that is inside.
            table.giveBack(slot);
            // Wrapped, or the stage below would take it for its own interruption.
            fail(cause instanceof InterruptedException ? new CompletionException(cause) : cause);
        } else {
            table.complete(slot, outcome);
        }
    }

    /** Under the lock: tells those who wait for what may have come of completions. */
    private void afterSettling() {
        updateStall();
        if (table.hasOutgoing()) {
            doneOrEnded.signal();
        }
        if ((feederWaits && canStart()) || (awaitsRoom && table.hasRoomFor(awaitedKey))) {
            feederCalled.signal();
        }
    }

    /** A task of the run that starts what completions have made ready while the feeder is busy above. */
    private void startReady(Task self) {
        lock.lock();
        try {
            while (self.mayGoOn() && takeRun()) {
                startRun();
            }
            starterCalled = false;
            if (feederWaits) {
                feederCalled.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    // ---- Completions, on any thread.

    /** Called once for each future that was not done at once. */
    void completed(Running<R> of, @Nullable R result, @Nullable Throwable thrown) {
        if (thrown == null && result != null) {
            finished(of, result);
            return;
        }
        Throwable failed = thrown == null ? calls.completedWithNull() : Running.causeOf(thrown);
        if (supervised.retries()) {
            retry(of, failed);
        } else {
            finished(of, settled(verdictOn(failed, supervised::decideElsewhere), of.slot()));
        }
    }

    private void finished(Running<R> of, Object outcome) {
        int slot = of.slot();
        boolean fork = false;
        boolean late = false;
        lock.lock();
        try {
            long now = System.nanoTime();
            boolean ignored = inFlight.remove(of, now);
            if (cancelled) {
                late = !(outcome instanceof Verdict verdict) || verdict.fails();
            } else {
                limit.worked(1, now - of.startNanos(), table.isFull(), now);
                settle(slot, outcome);
                afterSettling();
                fork = canStart() && !feederWaits && !starterCalled;
                starterCalled |= fork;
            }
        } finally {
            lock.unlock();
        }
        if (late) {
            abandon(slot);
        }
        if (fork) {
            forkStarter();
        }
        if (outcome == Verdict.REVOKED) {
            dropReadyRevoked();
        }
    }

    @Override
    int callForReady() {
        if (canStart() && !feederWaits && !starterCalled) {
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
        feederCalled.signal();
        // It may wait elsewhere: with an element at the gate.
        dropInHand();
    }

    private void forkStarter() {
        try {
            tasks.fork(this::startReady);
        } catch (RuntimeException | Error refused) {
            // It must not hit the stranger who completes the future.
            lock.lock();
            try {
                fail(refused);
            } finally {
                lock.unlock();
            }
        }
    }

    // ---- Retries, on a thread for each element.

    private void retry(Running<R> of, Throwable thrown) {
        if (cancelled) {
            finished(of, new Verdict(Decision.FAIL, thrown));
            return;
        }
        try {
            tasks.fork(Dispatcher.virtual(), self -> {
                if (self.mayGoOn()) {
                    Object outcome = retried(of.slot(), thrown);
                    finished(of, outcome instanceof Verdict verdict ? settled(verdict, of.slot()) : outcome);
                } else {
                    finished(of, new Verdict(Decision.FAIL, thrown));
                }
            });
        } catch (RuntimeException | Error refused) {
            finished(of, new Verdict(Decision.FAIL, refused));
        }
    }

    private Object retried(int slot, Throwable thrown) {
        BooleanSupplier revoked = () -> isRevoked(slot);
        try {
            Object outcome = supervised.after(
                    thrown,
                    element -> {
                        R result = calls.callAndWait(element, revoked);
                        return result == null ? Verdict.REVOKED : result;
                    },
                    table.value(slot),
                    revoked);
            if (outcome == Verdict.REVOKED) {
                boolean ignored = dropIfRevoked(slot);
            }
            return outcome;
        } catch (InterruptedException | VirtualMachineError ended) {
            return new Verdict(Decision.FAIL, ended);
        }
    }

    // ---- The stage below.

    @Override
    void wakeAll() {
        super.wakeAll();
        feederCalled.signal();
    }

    @Override
    void afterPull() {
        if (awaitsRoom && table.hasAmpleRoomFor(awaitedKey)) {
            feederCalled.signal();
        }
    }

    /** Lets go of the futures that run and cancels them; one that never completes does not keep the stage. */
    @Override
    public void close() {
        cancelUpper();
        Batch<?> left;
        List<Running<R>> running;
        lock.lock();
        try {
            left = cancel();
            running = inFlight.detachAll();
        } finally {
            lock.unlock();
        }
        tasks.cancel();
        running.forEach(Running::cancel);
        left.abandonAll();
        running.forEach(one -> abandon(one.slot()));
    }
}
