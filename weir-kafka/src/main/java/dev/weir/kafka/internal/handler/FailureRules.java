package dev.weir.kafka.internal.handler;

import dev.weir.kafka.CircuitBreaker;
import dev.weir.kafka.Decoded;
import dev.weir.kafka.FailedRecord;
import dev.weir.kafka.FailedRecord.Reason;
import dev.weir.kafka.FailureAction;
import dev.weir.kafka.HandlerTimeoutException;
import dev.weir.kafka.RecordDecodeException;
import dev.weir.kafka.spi.RecordTracing;
import dev.weir.stream.Backoff;
import dev.weir.stream.RetryPolicy;
import dev.weir.stream.Supervision;
import dev.weir.stream.spi.Machinery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The rules for failures of a handler. Immutable.
 *
 * @param retry how often the handler is called in place; once if nothing was said
 * @param exceptions what is done by the type of the exception, first match first; RETRY for others
 * @param timeout how long one call may take, or null
 * @param breaker what calls have to wait for, or null
 * @param hasWayOut whether failed records have somewhere to go
 * @param tracing what is told of each call
 */
public record FailureRules(
        RetryPolicy retry,
        List<ByType> exceptions,
        @Nullable Duration timeout,
        @Nullable CircuitBreaker breaker,
        boolean hasWayOut,
        RecordTracing tracing) {

    /** The rules if nothing is said: the first failure fails the pipeline. */
    public static final FailureRules NONE =
            new FailureRules(RetryPolicy.of(1, Backoff.NONE), List.of(), null, null, false, RecordTracing.NONE);

    private static final Duration LONGEST_TIMEOUT = Duration.ofDays(1);

    /** The rule for one type of exceptions. */
    public record ByType(Class<? extends Throwable> type, FailureAction action) {}

    /** Copies the rules; refuses a timeout that is not above zero, or too long. */
    public FailureRules {
        exceptions = List.copyOf(exceptions);
        if (timeout != null && (timeout.compareTo(Duration.ZERO) <= 0 || timeout.compareTo(LONGEST_TIMEOUT) > 0)) {
            throw new IllegalArgumentException(
                    "timeout must be more than zero and at most " + LONGEST_TIMEOUT + ": timeout=" + timeout);
        }
    }

    public FailureRules withRetry(RetryPolicy newRetry) {
        return new FailureRules(newRetry, exceptions, timeout, breaker, hasWayOut, tracing);
    }

    /**
     * Appends one rule.
     *
     * @throws IllegalArgumentException if the rule can have no effect
     */
    public FailureRules with(ByType rule) {
        refuseIdle(rule);
        List<ByType> all = new ArrayList<>(exceptions);
        all.add(rule);
        return new FailureRules(retry, all, timeout, breaker, hasWayOut, tracing);
    }

    private void refuseIdle(ByType rule) {
        String said = "on(" + rule.type.getSimpleName() + ", " + rule.action + ") can have no effect: ";
        if (rule.action != FailureAction.FAIL && Machinery.isAlwaysFailure(rule.type)) {
            throw new IllegalArgumentException(said + "such an error says nothing of the record and always fails the"
                    + " pipeline; leave the rule out");
        }
        for (ByType before : exceptions) {
            if (before.type.isAssignableFrom(rule.type)) {
                throw new IllegalArgumentException(said + "on(" + before.type.getSimpleName() + ", " + before.action
                        + ") comes before it and matches first; say the narrower type first");
            }
        }
    }

    public FailureRules withTimeout(Duration newTimeout) {
        return new FailureRules(retry, exceptions, newTimeout, breaker, hasWayOut, tracing);
    }

    public FailureRules withBreaker(CircuitBreaker newBreaker) {
        return new FailureRules(retry, exceptions, timeout, newBreaker, hasWayOut, tracing);
    }

    public FailureRules withWayOut() {
        return new FailureRules(retry, exceptions, timeout, breaker, true, tracing);
    }

    public FailureRules withTracing(RecordTracing newTracing) {
        return new FailureRules(retry, exceptions, timeout, breaker, hasWayOut, newTracing);
    }

    private FailureAction actionOn(Throwable thrown) {
        for (ByType rule : exceptions) {
            if (rule.type.isInstance(thrown)) {
                return rule.action;
            }
        }
        return FailureAction.RETRY;
    }

    private boolean isRetriable(Throwable thrown) {
        return actionOn(thrown) == FailureAction.RETRY && retry.retriable().test(thrown);
    }

    /** Calls again what {@link #decide} has thrown, as long as it is worth it. */
    public Supervision supervision() {
        return Supervision.retry(
                retry.when(thrown -> !(thrown instanceof RecordDecodeException) && isRetriable(thrown)),
                Supervision.fail());
    }

    /**
     * Decides the treatment of a record.
     *
     * @return null to throw: so that it is tried again, or that the pipeline fails
     */
    <R> @Nullable HandlerOutcome<R> decide(HandlerJob<?, ?> job, Throwable thrown) {
        FailureAction action = actionOn(thrown);
        if (isOfTheMachinery(thrown) || action == FailureAction.FAIL || isTriedAgain(job, thrown)) {
            return null;
        }
        if (action == FailureAction.SKIP) {
            return new HandlerOutcome.Skipped<>();
        }
        if (action == FailureAction.REJECT) {
            return new HandlerOutcome.Rejected<>(job.raw());
        }
        if (!hasWayOut) {
            return null;
        }
        Reason reason = thrown instanceof HandlerTimeoutException ? Reason.TIMEOUT : Reason.HANDLER;
        return new HandlerOutcome.Failed<>(
                new FailedRecord(job.raw(), reason, thrown, job.attempts(), isRetriable(thrown)));
    }

    /** Returns whether the policy has another attempt for a record that failed like this. */
    boolean isTriedAgain(HandlerJob<?, ?> job, Throwable thrown) {
        return job.attempts() < retry.attempts() && isRetriable(thrown);
    }

    /** Decides the treatment of a record that could not be decoded; throws if it has nowhere to go. */
    <R> HandlerOutcome<R> undecodable(Decoded.Refused<?, ?> refused) {
        return switch (actionOn(refused.cause())) {
            case SKIP -> new HandlerOutcome.Skipped<>();
            case REJECT -> new HandlerOutcome.Rejected<>(refused.raw());
            case FAIL -> throw refused.cause();
            case RETRY, DEAD_LETTER -> {
                if (!hasWayOut) {
                    throw refused.cause();
                }
                yield new HandlerOutcome.Failed<>(FailedRecord.of(refused));
            }
        };
    }

    /** Waits for the breaker, if there is one and the handler will be called; false if the record was lost by then. */
    boolean enter(HandlerJob<?, ?> job, BooleanSupplier revoked) throws InterruptedException {
        if (breaker != null && job.decoded() instanceof Decoded.Read) {
            long permit = breaker.acquire(revoked);
            if (permit == CircuitBreaker.NO_PERMIT) {
                return false;
            }
            job.letIn(permit);
        }
        if (revoked.getAsBoolean()) {
            leave(job);
            return false;
        }
        return true;
    }

    /** A call that was let in is not made. */
    void leave(HandlerJob<?, ?> job) {
        if (breaker != null && job.isLetIn()) {
            breaker.abandoned(job.takePermit());
        }
    }

    /** Permit of the current call to pass the breaker. */
    long permit(HandlerJob<?, ?> job) throws InterruptedException {
        if (breaker == null) {
            return 0;
        }
        return job.isLetIn() ? job.takePermit() : breaker.acquire();
    }

    /** Makes threads that wait for the breaker ask whether their records were lost. */
    void lookAgain() {
        if (breaker != null) {
            breaker.lookAgain();
        }
    }

    /** Tells the breaker of a call that failed. */
    void tell(long permit, Throwable thrown) {
        if (breaker == null) {
            return;
        }
        if (isOfTheMachinery(thrown)) {
            breaker.abandoned(permit);
        } else {
            breaker.failed(permit, thrown);
        }
    }

    /**
     * Thrown because the run is being cancelled, or by a JVM that is out of something: it says nothing of the record.
     */
    static boolean isOfTheMachinery(Throwable thrown) {
        return Machinery.isFailure(thrown);
    }
}
