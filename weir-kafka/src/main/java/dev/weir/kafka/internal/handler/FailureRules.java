package dev.weir.kafka.internal.handler;

import dev.weir.kafka.CircuitBreaker;
import dev.weir.kafka.Decoded;
import dev.weir.kafka.FailureAction;
import dev.weir.kafka.HandlerTimeoutException;
import dev.weir.kafka.RecordDecodeException;
import dev.weir.kafka.deadletter.FailedRecord;
import dev.weir.kafka.deadletter.FailedRecord.Reason;
import dev.weir.kafka.spi.RecordTracing;
import dev.weir.stream.Backoff;
import dev.weir.stream.RetryPolicy;
import dev.weir.stream.Supervision;
import dev.weir.stream.spi.Machinery;
import dev.weir.stream.spi.Thrown;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rules for failures of a handler. Immutable, except for the time of the last warning.
 *
 * @param retry policy for repeating the handler call within its stage; no retries by default
 * @param exceptions rules by exception type; the first match wins, and RETRY applies if none matches
 * @param timeout maximum duration of one call; null for no limit
 * @param breaker circuit breaker that limits calls of the handler; null if there is none
 * @param hasWayOut whether failed records can be written to a topic
 * @param tracing observes each call
 * @param warnings limits the warnings about this tracing
 */
public record FailureRules(
        RetryPolicy retry,
        List<Rule> exceptions,
        @Nullable Duration timeout,
        @Nullable CircuitBreaker breaker,
        boolean hasWayOut,
        RecordTracing tracing,
        Warnings warnings) {

    /** The default rules: the first failure fails the pipeline. */
    public static final FailureRules NONE = new FailureRules(
            RetryPolicy.of(1, Backoff.NONE), List.of(), null, null, false, RecordTracing.NONE, new Warnings());

    private static final Logger LOG = LoggerFactory.getLogger(FailureRules.class);

    private static final long WARNING_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final Duration LONGEST_TIMEOUT = Duration.ofDays(1);

    private static final Rule OTHERWISE = new ActionRule(Throwable.class, FailureAction.RETRY);

    /** Limits warnings to one per interval. Thread-safe. */
    public static final class Warnings {

        private final AtomicLong dueNanos = new AtomicLong(System.nanoTime());

        boolean isDue() {
            long now = System.nanoTime();
            long due = dueNanos.get();
            return now - due >= 0 && dueNanos.compareAndSet(due, now + WARNING_INTERVAL_NANOS);
        }
    }

    /** A rule for one exception type. */
    public sealed interface Rule {

        Class<? extends Throwable> type();
    }

    private record ActionRule(Class<? extends Throwable> type, FailureAction action) implements Rule {

        @Override
        public String toString() {
            return "on(" + type.getSimpleName() + ", " + action + ")";
        }
    }

    private record RejectRule(Class<? extends Throwable> type) implements Rule {

        @Override
        public String toString() {
            return "reject(" + type.getSimpleName() + ")";
        }
    }

    /** Copies the rules. Throws if the timeout is out of range. */
    public FailureRules {
        exceptions = List.copyOf(exceptions);
        if (timeout != null && (timeout.compareTo(Duration.ZERO) <= 0 || timeout.compareTo(LONGEST_TIMEOUT) > 0)) {
            throw new IllegalArgumentException(
                    "timeout must be more than zero and at most " + LONGEST_TIMEOUT + ": timeout=" + timeout);
        }
    }

    public FailureRules withRetry(RetryPolicy newRetry) {
        return new FailureRules(newRetry, exceptions, timeout, breaker, hasWayOut, tracing, warnings);
    }

    /**
     * Appends a rule that takes an action.
     *
     * @throws IllegalArgumentException if the rule could never have an effect
     */
    public FailureRules with(Class<? extends Throwable> type, FailureAction action) {
        return with(new ActionRule(Objects.requireNonNull(type, "type"), Objects.requireNonNull(action, "action")));
    }

    /**
     * Appends a rule that makes a share group reject the record.
     *
     * @throws IllegalArgumentException if the rule could never have an effect
     */
    public FailureRules withReject(Class<? extends Throwable> type) {
        return with(new RejectRule(Objects.requireNonNull(type, "type")));
    }

    private FailureRules with(Rule rule) {
        refuseIdle(rule);
        List<Rule> all = new ArrayList<>(exceptions);
        all.add(rule);
        return new FailureRules(retry, all, timeout, breaker, hasWayOut, tracing, warnings);
    }

    private void refuseIdle(Rule rule) {
        boolean fails = rule instanceof ActionRule byAction && byAction.action == FailureAction.FAIL;
        if (!fails && Machinery.isAlwaysFailure(rule.type())) {
            throw new IllegalArgumentException(rule + " can have no effect: such an error is not about the record"
                    + " and always fails the pipeline; leave the rule out");
        }
        for (Rule before : exceptions) {
            if (before.type().isAssignableFrom(rule.type())) {
                throw new IllegalArgumentException(rule + " can have no effect: " + before
                        + " comes before it and matches first; put the narrower type first");
            }
        }
    }

    public FailureRules withTimeout(Duration newTimeout) {
        return new FailureRules(retry, exceptions, newTimeout, breaker, hasWayOut, tracing, warnings);
    }

    public FailureRules withBreaker(CircuitBreaker newBreaker) {
        return new FailureRules(retry, exceptions, timeout, newBreaker, hasWayOut, tracing, warnings);
    }

    public FailureRules withWayOut() {
        return new FailureRules(retry, exceptions, timeout, breaker, true, tracing, warnings);
    }

    public FailureRules withTracing(RecordTracing newTracing) {
        return new FailureRules(retry, exceptions, timeout, breaker, hasWayOut, newTracing, new Warnings());
    }

    private Rule ruleFor(Throwable thrown) {
        for (Rule rule : exceptions) {
            if (rule.type().isInstance(thrown)) {
                return rule;
            }
        }
        return OTHERWISE;
    }

    private boolean isRetriable(Throwable thrown) {
        return ruleFor(thrown) instanceof ActionRule rule
                && rule.action == FailureAction.RETRY
                && retry.retriable().test(thrown);
    }

    /** Returns whether the call may be repeated. Decoding is not repeated. */
    private boolean isRepeatable(Throwable thrown) {
        return !(thrown instanceof RecordDecodeException) && isRetriable(thrown);
    }

    /** Returns the supervision of the handler's stage. */
    public Supervision supervision() {
        return Supervision.retry(retry.when(this::isRepeatable), Supervision.fail());
    }

    /**
     * Reports a failed call to the breaker and decides how to treat its record.
     *
     * @param isOfTheMachinery whether the failure is unrelated to the record
     * @return the outcome; null if {@code thrown} must be rethrown, to retry the record or to fail the pipeline
     */
    <R> @Nullable HandlerOutcome<R> settle(
            HandlerJob<?, ?> job, long permit, Throwable thrown, boolean isOfTheMachinery) {
        try {
            tell(permit, thrown, isOfTheMachinery);
            return decide(job, thrown, isOfTheMachinery);
        } catch (Throwable inRules) {
            suppress(thrown, inRules);
            return null;
        }
    }

    static void suppress(Throwable thrown, Throwable another) {
        if (another != thrown) {
            thrown.addSuppressed(another);
        }
    }

    <R> @Nullable HandlerOutcome<R> decide(HandlerJob<?, ?> job, Throwable thrown, boolean isOfTheMachinery) {
        if (isOfTheMachinery || isTriedAgain(job, thrown)) {
            return null;
        }
        Reason reason = thrown instanceof HandlerTimeoutException ? Reason.TIMEOUT : Reason.HANDLER;
        return outcome(
                thrown,
                job.raw(),
                () -> new FailedRecord(job.raw(), reason, thrown, job.attempts(), isRetriable(thrown)));
    }

    private <R> @Nullable HandlerOutcome<R> outcome(
            Throwable thrown, ConsumerRecord<byte[], byte[]> raw, Supplier<FailedRecord> failed) {
        return switch (ruleFor(thrown)) {
            case RejectRule reject -> new HandlerOutcome.Rejected<>(raw);
            case ActionRule rule ->
                switch (rule.action) {
                    case SKIP -> new HandlerOutcome.Skipped<>();
                    case FAIL -> null;
                    case RETRY, DEAD_LETTER -> hasWayOut ? new HandlerOutcome.Failed<>(failed.get()) : null;
                };
        };
    }

    void trace(RecordTracing.Attempt attempt, Throwable thrown) {
        trace(attempt, traced -> traced.failed(thrown), thrown);
    }

    /**
     * Reports the end of a call to the tracer. The tracer's exception does not change the outcome of the call, unless
     * it is fatal for the JVM.
     *
     * @param thrown exception of the call, or null if it succeeded
     */
    void trace(RecordTracing.Attempt attempt, Consumer<RecordTracing.Attempt> report, @Nullable Throwable thrown) {
        try {
            report.accept(attempt);
        } catch (Throwable inTracing) {
            if (thrown != null) {
                suppress(thrown, inTracing);
            } else if (inTracing instanceof Error fatal && Thrown.isFatal(fatal)) {
                throw fatal;
            } else if (warnings.isDue()) {
                LOG.warn("the tracing of a successful call failed; the record counts as handled", inTracing);
            }
        }
    }

    boolean isTriedAgain(HandlerJob<?, ?> job, Throwable thrown) {
        return job.attempts() < retry.attempts() && isRepeatable(thrown);
    }

    /**
     * Decides how to treat a record that could not be decoded. Throws the decoding failure if the pipeline must fail.
     */
    <R> HandlerOutcome<R> undecodable(Decoded.Refused<?, ?> refused) {
        HandlerOutcome<R> outcome = outcome(refused.cause(), refused.raw(), () -> FailedRecord.of(refused));
        if (outcome == null) {
            throw refused.cause();
        }
        return outcome;
    }

    /** Waits for a permit of the breaker. Returns false if the record was lost. */
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

    /** Returns an unused permit to the breaker. */
    void leave(HandlerJob<?, ?> job) {
        if (breaker != null && job.isLetIn()) {
            breaker.abandoned(job.takePermit());
        }
    }

    /** Returns the breaker's permit for the next call; 0 if there is no breaker. */
    long permit(HandlerJob<?, ?> job) throws InterruptedException {
        if (breaker == null) {
            return 0;
        }
        return job.isLetIn() ? job.takePermit() : breaker.acquire();
    }

    /** Wakes threads that wait for the breaker. They then check whether their records were lost. */
    void lookAgain() {
        if (breaker != null) {
            breaker.lookAgain();
        }
    }

    void tell(long permit, Throwable thrown, boolean isOfTheMachinery) {
        if (breaker == null) {
            return;
        }
        if (isOfTheMachinery) {
            breaker.abandoned(permit);
        } else {
            breaker.failed(permit, thrown);
        }
    }

    /**
     * Returns whether the failure is unrelated to the record: the run is being cancelled, or the JVM or the class path
     * is at fault. Must be called on the thread that called the handler.
     */
    static boolean isOfTheMachinery(Throwable thrown) {
        return Machinery.isFailure(thrown);
    }

    /** Returns whether the failure is unrelated to the record. May be called on any thread. */
    static boolean isOfTheMachineryElsewhere(Throwable thrown) {
        return thrown instanceof InterruptedException || Machinery.isOfTheProgram(thrown);
    }
}
