package dev.weir.stream.internal.failure;

import dev.weir.stream.Backoff;
import dev.weir.stream.Handler;
import dev.weir.stream.RetryPolicy;
import dev.weir.stream.Supervision;
import dev.weir.stream.Supervision.Decision;
import dev.weir.stream.internal.run.StageAttributes;
import dev.weir.stream.internal.run.TaskGroup;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.FailedElement;
import dev.weir.stream.spi.Thrown;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Handles a failure of a stage's function: first the retries, then the decision. Thread-safe. A stage calls this class
 * only after its function has thrown an exception, so successful calls have no overhead:
 *
 * <pre>
 *   try {
 *       result = function.apply(element);
 *   } catch (Throwable thrown) {
 *       result = supervised.after(thrown, function::apply, element);
 *   }
 *   if (result instanceof FailureVerdict verdict) {
 *       // fail, or settle the element and continue without it
 *   }
 * </pre>
 */
public final class SupervisedCall {

    private final String stage;
    private final Supervision supervision;
    private final Clock clock;
    private final LongAdder failedCalls = new LongAdder();

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition revocation = lock.newCondition();

    private SupervisedCall(String stage, Supervision supervision, Clock clock) {
        this.stage = stage;
        this.supervision = supervision;
        this.clock = clock;
    }

    /** Creates an instance for a stage with these attributes. {@code clock} measures the delays between retries. */
    public static SupervisedCall by(StageAttributes attributes, Clock clock) {
        return new SupervisedCall(attributes.name(), attributes.supervision(), clock);
    }

    /** Number of calls that threw, including retries. Readable after the run. */
    public LongAdder failedCalls() {
        return failedCalls;
    }

    public boolean retries() {
        return supervision.retryPolicy() != null;
    }

    /**
     * Retries if configured to do so, then decides.
     *
     * @param thrown the exception of the first call
     * @param call the same call, to be repeated
     * @return the result of the call, or a {@link FailureVerdict}
     * @throws InterruptedException if the thread was interrupted between two attempts
     */
    public <T> Object after(Throwable thrown, Handler<? super T, ?> call, T element) throws InterruptedException {
        return after(thrown, call, element, () -> false);
    }

    /**
     * Retries the call for an element that may be revoked. A revocation ends the delay, and no further attempt is made.
     *
     * @param revoked returns whether the source no longer owns the element; called after each delay, and takes no lock
     * @return {@link FailureVerdict#REVOKED} if the element was revoked; the caller must then end the element's pending
     *     acknowledgement
     */
    public <T> Object after(Throwable thrown, Handler<? super T, ?> call, T element, BooleanSupplier revoked)
            throws InterruptedException {
        RetryPolicy policy = supervision.retryPolicy();
        Throwable last = thrown;
        for (int calls = 1; ; calls++) {
            failedCalls.increment();
            FailureVerdict hopeless = withoutAsking(last);
            if (hopeless != null) {
                return hopeless;
            }
            try {
                if (policy == null
                        || calls >= policy.attempts()
                        || !policy.retriable().test(last)) {
                    return new FailureVerdict(SupervisionDecisions.here(supervision, last), last);
                }
            } catch (Throwable inSupervision) {
                return failing(last, inSupervision);
            }
            if (!pause(policy.backoff(), calls, revoked)) {
                return FailureVerdict.REVOKED;
            }
            try {
                Object result = call.handle(element);
                if (result != null) {
                    return result;
                }
                last = new NullPointerException("a stage's function returned null");
            } catch (Throwable again) {
                last = again;
            }
        }
    }

    /**
     * Retries the call for an element of the current batch. If the stream fails, abandons this element and all later
     * ones. If the thread is interrupted, also abandons the first {@code kept} elements.
     */
    public <T> Object after(Throwable thrown, Handler<? super T, ?> call, Batch<T> batch, int kept, int index)
            throws InterruptedException {
        Object outcome;
        try {
            outcome = afterInBatch(thrown, call, batch, index);
        } catch (InterruptedException interrupted) {
            batch.abandonAllBut(kept, index);
            throw interrupted;
        }
        if (outcome instanceof FailureVerdict verdict && verdict.fails()) {
            batch.abandonFrom(index);
        }
        return outcome;
    }

    /**
     * Adds a note about the failed element to the failure, if {@code outcome} fails the stream. Must be called before
     * the element's pending acknowledgement ends.
     */
    public void note(Object outcome, AckTarget target, long token, Object element) {
        if (outcome instanceof FailureVerdict verdict && verdict.fails()) {
            FailedElement.note(verdict.failure(), stage, target, token, element);
        }
    }

    /** Adds the note for an element of a batch. */
    public void note(Object outcome, Batch<?> batch, int index) {
        note(outcome, batch.target(index), batch.token(index), batch.get(index));
    }

    /** Retries the call for an element of a batch, and ends its acknowledgement if it was revoked. */
    private <T> Object afterInBatch(Throwable thrown, Handler<? super T, ?> call, Batch<T> batch, int index)
            throws InterruptedException {
        Object outcome = after(thrown, call, batch.get(index), () -> batch.isRevoked(index));
        if (outcome == FailureVerdict.REVOKED) {
            boolean ignored = batch.dropIfRevoked(index);
        }
        note(outcome, batch, index);
        return outcome;
    }

    /**
     * Retries the call for an element of a batch. After the last attempt, drops the element or throws the failure, as
     * the supervision decides. For stateless stages. If this method throws, the caller must abandon all elements that
     * it holds.
     *
     * @return null if the element was dropped and its acknowledgement settled
     */
    public <T, R> @Nullable R orDrop(Throwable thrown, Handler<? super T, ? extends R> call, Batch<T> batch, int index)
            throws InterruptedException {
        Object outcome = afterInBatch(thrown, call, batch, index);
        if (outcome instanceof FailureVerdict verdict) {
            verdict.throwIfFails();
            verdict.settle(batch.target(index), batch.token(index));
            return null;
        }
        @SuppressWarnings("unchecked") // an outcome other than a verdict is the result of the call
        R result = (R) outcome;
        return result;
    }

    /** Decides about {@code thrown} without a retry, for calls that cannot be repeated. */
    public FailureVerdict decide(Throwable thrown) {
        failedCalls.increment();
        FailureVerdict hopeless = withoutAsking(thrown);
        return hopeless != null ? hopeless : ask(thrown, failure -> SupervisionDecisions.here(supervision, failure));
    }

    /** Decides about {@code thrown} on a thread outside the stage. Ignores an interrupt of that thread. */
    public FailureVerdict decideElsewhere(Throwable thrown) {
        failedCalls.increment();
        if (Thrown.isFatal(thrown)) {
            throw (VirtualMachineError) thrown;
        }
        return ask(thrown, failure -> SupervisionDecisions.elsewhere(supervision, failure));
    }

    private static FailureVerdict ask(Throwable thrown, Function<Throwable, Decision> decide) {
        try {
            return new FailureVerdict(decide.apply(thrown), thrown);
        } catch (Throwable inSupervision) {
            return failing(thrown, inSupervision);
        }
    }

    private static @Nullable FailureVerdict withoutAsking(Throwable thrown) {
        if (Thrown.isFatal(thrown)) {
            throw (VirtualMachineError) thrown;
        }
        // Clear an interrupt that the function left behind, but keep one that was meant for this thread.
        boolean ignored = TaskGroup.isCurrentTask() && Thread.interrupted();
        if (TaskGroup.isCurrentInterrupted()) {
            Thread.currentThread().interrupt();
            return new FailureVerdict(Decision.FAIL, thrown);
        }
        return thrown instanceof InterruptedException ? new FailureVerdict(Decision.FAIL, thrown) : null;
    }

    /** Wakes the threads that wait between two attempts, to check whether their elements were revoked. */
    public void lookAgain() {
        lock.lock();
        try {
            revocation.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits before the next attempt. Returns false if the element was revoked. */
    private boolean pause(Backoff backoff, int failures, BooleanSupplier revoked) throws InterruptedException {
        long nanos = backoff.after(failures, clock.nanoTime()).toNanos();
        if (nanos > 0) {
            TaskGroup group = TaskGroup.currentGroup();
            Runnable wake = this::lookAgain;
            if (group != null) {
                group.beginPause(wake);
            }
            try {
                await(clock.after(nanos), revoked);
            } finally {
                if (group != null) {
                    group.endPause(wake);
                }
            }
        }
        return !revoked.getAsBoolean();
    }

    private void await(long untilNanos, BooleanSupplier revoked) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!revoked.getAsBoolean() && !clock.hasPassed(untilNanos)) {
                clock.await(lock, revocation, untilNanos);
            }
        } finally {
            lock.unlock();
        }
    }

    private static FailureVerdict failing(Throwable thrown, Throwable inSupervision) {
        if (Thrown.isFatal(inSupervision)) {
            throw (VirtualMachineError) inSupervision;
        }
        if (thrown != inSupervision) {
            thrown.addSuppressed(inSupervision);
        }
        return new FailureVerdict(Decision.FAIL, thrown);
    }
}
