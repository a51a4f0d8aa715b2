package dev.weir.stream.internal.parallel;

import dev.weir.stream.Dispatcher;
import dev.weir.stream.Supervision.Decision;
import dev.weir.stream.internal.failure.FailureVerdict;
import dev.weir.stream.internal.failure.SupervisedCall;
import dev.weir.stream.internal.workers.WorkerTasks;
import dev.weir.stream.spi.Thrown;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs the asynchronous computations of a stage: calls the function, handles the completion of its future, and retries.
 * Thread-safe without a lock, because each thread accesses only the slot of its element. One thread at a time calls
 * {@link #start}, the completing thread calls {@link #completed}, and each retry runs on its own virtual thread.
 */
final class AsyncComputations<T, R> {

    /** The stage of the computations. Thread-safe. */
    interface Owner<R> {

        /** Returns whether the stage has been cancelled or closed. Later failures are not retried. */
        boolean isCancelled();

        /** Registers a running computation. If the stage has been cancelled or closed, cancels it and returns false. */
        boolean admit(RunningComputation<R> running);

        /**
         * Accepts the outcome of a registered computation: a result, or a {@link FailureVerdict} that has been applied
         * to the element.
         */
        void finished(RunningComputation<R> running, Object outcome);
    }

    private final Owner<R> owner;
    private final AsyncCalls<T, R> calls;
    private final SupervisedCall supervised;
    private final ElementTable<T> table;
    private final WorkerTasks tasks;

    AsyncComputations(
            Owner<R> owner,
            AsyncCalls<T, R> calls,
            SupervisedCall supervised,
            ElementTable<T> table,
            WorkerTasks tasks) {
        this.owner = owner;
        this.calls = calls;
        this.supervised = supervised;
        this.table = table;
        this.tasks = tasks;
    }

    boolean isCancelled() {
        return owner.isCancelled();
    }

    /**
     * Starts the computation for the element in a slot. Returns an outcome that is available at once: the result, or a
     * {@link FailureVerdict} that has been applied to the element. Otherwise returns null.
     */
    @Nullable
    Object start(int slot) {
        if (table.dropIfRevoked(slot)) {
            return FailureVerdict.REVOKED;
        }
        @Nullable CompletionStage<? extends R> stage;
        CompletableFuture<? extends R> future;
        try {
            stage = calls.call(table.value(slot), () -> table.isRevoked(slot));
            if (stage == null) {
                boolean ignored = table.dropIfRevoked(slot);
                return FailureVerdict.REVOKED;
            }
            future = RunningComputation.futureOf(stage);
            if (future != null && future.isDone()) {
                return outcomeOf(future, slot);
            }
        } catch (Throwable thrown) {
            return afterFailure(thrown, slot);
        }
        RunningComputation<R> running = new RunningComputation<>(this, slot, future);
        // Register before the callback can run, so that a close can cancel the computation.
        if (owner.admit(running)) {
            running.listen(stage);
        }
        return null;
    }

    private @Nullable Object outcomeOf(CompletableFuture<? extends R> done, int slot) {
        return switch (done.state()) {
            case SUCCESS -> resultOr(done.resultNow(), slot);
            case FAILED -> afterFailure(RunningComputation.exceptionOf(done), slot);
            default -> afterFailure(RunningComputation.cancellationOf(done), slot);
        };
    }

    private @Nullable Object resultOr(@Nullable R result, int slot) {
        return result != null ? result : afterFailure(calls.completedWithNull(), slot);
    }

    /**
     * Handles an immediate failure of an element's first call. Returns the verdict, or null if the call is being
     * retried or the stage has been cancelled.
     */
    private @Nullable FailureVerdict afterFailure(Throwable thrown, int slot) {
        if (!supervised.retries()) {
            return settled(verdictOn(thrown, supervised::decide), slot);
        }
        RunningComputation<R> running = new RunningComputation<>(this, slot, null);
        // The retry settles the element. Detach the computation, so that closing the stage does not settle it too.
        boolean ignored = running.detach();
        if (owner.admit(running)) {
            retry(running, thrown);
        }
        return null;
    }

    /**
     * Settles an element's acknowledgement according to {@code verdict}. If its target throws, returns a verdict that
     * fails the stage.
     */
    private FailureVerdict settled(FailureVerdict verdict, int slot) {
        try {
            supervised.note(verdict, table.target(slot), table.token(slot), table.value(slot));
            verdict.settle(table.target(slot), table.token(slot));
            return verdict;
        } catch (RuntimeException | Error refused) {
            return new FailureVerdict(Decision.FAIL, refused);
        }
    }

    private FailureVerdict verdictOn(Throwable thrown, Function<Throwable, FailureVerdict> decide) {
        if (owner.isCancelled() || tasks.isRunCancelled()) {
            return new FailureVerdict(Decision.FAIL, thrown);
        }
        try {
            return decide.apply(thrown);
        } catch (VirtualMachineError fatal) {
            return new FailureVerdict(Decision.FAIL, fatal);
        }
    }

    /**
     * Handles the completion of a future that was running when the function returned it. Called once, on the completing
     * thread.
     */
    void completed(RunningComputation<R> of, @Nullable R result, @Nullable Throwable thrown) {
        if (thrown == null && result != null) {
            owner.finished(of, result);
            return;
        }
        Throwable failed = thrown == null ? calls.completedWithNull() : Thrown.unwrapped(thrown);
        if (supervised.retries()) {
            retry(of, failed);
        } else {
            owner.finished(of, settled(verdictOn(failed, supervised::decideElsewhere), of.slot()));
        }
    }

    /** Retries on a separate virtual thread. The element counts as running until the retry ends. */
    private void retry(RunningComputation<R> of, Throwable thrown) {
        if (owner.isCancelled()) {
            owner.finished(of, new FailureVerdict(Decision.FAIL, thrown));
            return;
        }
        try {
            tasks.fork(Dispatcher.virtual(), self -> {
                if (self.mayGoOn()) {
                    Object outcome = retried(of.slot(), thrown);
                    owner.finished(
                            of, outcome instanceof FailureVerdict verdict ? settled(verdict, of.slot()) : outcome);
                } else {
                    owner.finished(of, new FailureVerdict(Decision.FAIL, thrown));
                }
            });
        } catch (RuntimeException | Error refused) {
            owner.finished(of, new FailureVerdict(Decision.FAIL, refused));
        }
    }

    private Object retried(int slot, Throwable thrown) {
        BooleanSupplier revoked = () -> table.isRevoked(slot);
        try {
            Object outcome = supervised.after(
                    thrown,
                    element -> {
                        R result = calls.callAndWait(element, revoked);
                        return result == null ? FailureVerdict.REVOKED : result;
                    },
                    table.value(slot),
                    revoked);
            if (outcome == FailureVerdict.REVOKED) {
                boolean ignored = table.dropIfRevoked(slot);
            }
            return outcome;
        } catch (InterruptedException | VirtualMachineError ended) {
            return new FailureVerdict(Decision.FAIL, ended);
        }
    }
}
