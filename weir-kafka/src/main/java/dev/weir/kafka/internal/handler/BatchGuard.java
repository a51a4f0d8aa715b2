package dev.weir.kafka.internal.handler;

import dev.weir.kafka.CircuitBreaker;
import dev.weir.kafka.Decoded;
import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.batch.BatchHandler;
import dev.weir.kafka.batch.BatchOutcome;
import dev.weir.kafka.deadletter.FailedRecord;
import dev.weir.kafka.deadletter.FailedRecord.Reason;
import dev.weir.kafka.spi.RecordTracing;
import dev.weir.stream.Attributes;
import dev.weir.stream.Handler;
import dev.weir.stream.Ordering;
import dev.weir.stream.Parallelism;
import dev.weir.stream.RetryPolicy;
import dev.weir.stream.Source;
import dev.weir.stream.Supervision;
import dev.weir.stream.spi.Gate;
import dev.weir.stream.spi.Thrown;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Wraps a batch handler with a circuit breaker and a timeout, and converts failures into values. Splits a batch if the
 * handler throws for it (ADR 80). Thread-safe if the handler is; each batch belongs to one thread at a time.
 */
public final class BatchGuard<K, V> implements Handler<BatchJob<K, V>, BatchJob<K, V>>, Gate<BatchJob<K, V>> {

    /** Thrown if some records of the batch need another attempt. */
    static final class Again extends RuntimeException {

        private static final long serialVersionUID = 1;

        Again(Throwable cause) {
            super(Thrown.message(cause), cause, false, false);
        }
    }

    private static final int BATCHES_PER_CALL = 2;

    private final FailureRules rules;
    private final Ordering<HandlerJob<K, V>> ordering;
    private final BatchHandler<K, V> handler;

    BatchGuard(FailureRules rules, Ordering<HandlerJob<K, V>> ordering, BatchHandler<K, V> handler) {
        this.rules = rules;
        this.ordering = ordering;
        this.handler = handler;
    }

    /**
     * Adds the stages that turn records into their outcomes.
     *
     * @param concurrency maximum number of batches handled concurrently
     * @param max maximum number of records per batch
     * @param within how long a batch waits for further records
     */
    public static <K, V> Source<HandlerOutcome<ConsumerRecord<K, V>>> under(
            Source<HandlerJob<K, V>> jobs,
            int concurrency,
            int max,
            Duration within,
            Ordering<HandlerJob<K, V>> ordering,
            FailureRules rules,
            BatchHandler<K, V> handler) {
        if (max < 1) {
            throw new IllegalArgumentException("max must be at least 1: max=" + max);
        }
        if (!within.isPositive() || within.compareTo(Duration.ofHours(1)) > 0) {
            throw new IllegalArgumentException(
                    "within must be more than zero and at most " + Duration.ofHours(1) + ": within=" + within);
        }
        Ordering<BatchJob<K, V>> ofBatches = ordering.isKeyed()
                ? Ordering.byHash(BatchJob::orderingKey)
                : ordering.isInput() ? Ordering.input() : Ordering.unordered();
        // Attempts are limited per record, not per batch.
        RetryPolicy again =
                RetryPolicy.of(Integer.MAX_VALUE, rules.retry().backoff()).on(Again.class);
        Parallelism calls = Parallelism.fixed(concurrency);
        var limits = new BatchStage.Limits<>(max, within.toNanos(), ordering, ordering.isKeyed() ? concurrency : 1);
        return jobs.<BatchJob<K, V>>stage("batch", (upstream, context) -> new BatchStage<>(upstream, context, limits))
                .mapBlocking(calls, ofBatches, new BatchGuard<>(rules, ordering, handler))
                // The buffer is counted in batches. It holds several per call, because batches of the same key wait for
                // each other.
                .with(Attributes.named("handle").withBuffer(BATCHES_PER_CALL * concurrency))
                .supervised(Supervision.retry(again, Supervision.fail()))
                .stage("unbatch", (upstream, context) -> new UnbatchStage<>(upstream, context.meter()));
    }

    @Override
    public boolean isAlwaysOpen() {
        return rules.breaker() == null;
    }

    @Override
    public boolean enter(BatchJob<K, V> batch, BooleanSupplier revoked) throws InterruptedException {
        return rules.enter(lead(batch), revoked);
    }

    @Override
    public void leave(BatchJob<K, V> batch) {
        rules.leave(lead(batch));
    }

    @Override
    public void lookAgain() {
        rules.lookAgain();
    }

    /** Returns the first record that could be decoded, or else the first record. It holds the breaker's permit. */
    private static <K, V> HandlerJob<K, V> lead(BatchJob<K, V> batch) {
        for (BatchMember<K, V> member : batch.members()) {
            if (member.job.decoded() instanceof Decoded.Read) {
                return member.job;
            }
        }
        return batch.members().getFirst().job;
    }

    @Override
    public BatchJob<K, V> handle(BatchJob<K, V> batch) throws Exception {
        Round round = new Round(batch);
        try {
            for (List<BatchMember<K, V>> part : batch.open()) {
                round.settle(part);
            }
        } finally {
            rules.leave(lead(batch)); // returns an unused permit
        }
        batch.left(round.left);
        if (round.again != null) {
            throw new Again(round.again);
        }
        return batch;
    }

    /** One attempt to handle the records of a batch that have no outcome yet. */
    private final class Round {

        /** Number of consecutive failed calls that end an attempt, if a record must be retried. */
        private static final int HOPELESS = 2;

        private final BatchJob<K, V> batch;
        private final List<List<BatchMember<K, V>>> left = new ArrayList<>();
        private final Set<Long> keysLeft = new HashSet<>();
        private @Nullable Throwable again;

        /** Number of consecutive calls in which every record failed. */
        private int failedInARow;

        Round(BatchJob<K, V> batch) {
            this.batch = batch;
        }

        /**
         * Handles the records with a single call. If the call throws, handles the two halves of the records separately.
         */
        void settle(List<BatchMember<K, V>> part) throws Exception {
            List<BatchMember<K, V>> now = new ArrayList<>();
            List<BatchMember<K, V>> later = new ArrayList<>();
            for (BatchMember<K, V> member : part) {
                if (member.outcome == null && !isUndecodable(member) && !member.dropIfLost()) {
                    (mustWait(member) ? later : now).add(member);
                }
            }
            if (!now.isEmpty()) {
                Throwable thrown = call(now);
                if (thrown != null && now.size() == 1) {
                    failedInARow++;
                    if (isTriedAgain(now.getFirst(), thrown)) {
                        leave(now);
                    }
                } else if (thrown != null) {
                    int half = now.size() / 2;
                    settle(now.subList(0, half));
                    settle(now.subList(half, now.size()));
                }
            }
            if (!later.isEmpty()) {
                leave(later);
            }
        }

        private void leave(List<BatchMember<K, V>> part) {
            left.add(List.copyOf(part));
            part.forEach(member -> keysLeft.add(member.key));
        }

        private boolean isUndecodable(BatchMember<K, V> member) {
            if (member.job.decoded() instanceof Decoded.Refused<K, V> refused) {
                member.outcome = rules.undecodable(refused);
                return true;
            }
            return false;
        }

        private boolean mustWait(BatchMember<K, V> member) {
            if (again == null || failedInARow >= HOPELESS) {
                return again != null;
            }
            return ordering.isInput()
                    || (ordering.isKeyed() && member.key != Ordering.NO_KEY && keysLeft.contains(member.key));
        }

        /** Calls the handler. Returns its exception, or null. Removes lost records from the list. */
        private @Nullable Throwable call(List<BatchMember<K, V>> members) throws Exception {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            HandlerJob<K, V> lead = lead(batch);
            CircuitBreaker breaker = rules.breaker();
            long permit = 0;
            if (breaker != null) {
                permit = lead.isLetIn() ? lead.takePermit() : breaker.acquire(batch::dropLost);
                members.removeIf(BatchMember::dropIfLost);
                if (members.isEmpty()) {
                    breaker.abandoned(permit);
                    return null;
                }
            }
            List<BatchOutcome> outcomes;
            try {
                outcomes = outcomes(members);
            } catch (Throwable thrown) {
                boolean isOfTheMachinery = FailureRules.isOfTheMachinery(thrown);
                if (breaker != null && members.size() > 1) {
                    breaker.abandoned(permit); // the calls for the two halves report to the breaker instead
                } else {
                    tell(permit, thrown, isOfTheMachinery);
                }
                if (thrown instanceof WrongAnswer || isOfTheMachinery) {
                    throw thrown;
                }
                return thrown;
            }
            if (breaker != null) {
                breaker.succeeded(permit);
            }
            List<BatchMember<K, V>> retried = new ArrayList<>();
            for (int i = 0; i < members.size(); i++) {
                if (!takes(members.get(i), outcomes.get(i))) {
                    retried.add(members.get(i));
                }
            }
            failedInARow = retried.size() == members.size() ? failedInARow + 1 : 0;
            if (!retried.isEmpty()) {
                leave(retried);
            }
            return null;
        }

        private void tell(long permit, Throwable thrown, boolean isOfTheMachinery) throws Exception {
            try {
                rules.tell(permit, thrown, isOfTheMachinery);
            } catch (Throwable inRules) {
                FailureRules.suppress(thrown, inRules);
                throw asException(thrown);
            }
        }

        /** Applies the handler's outcome to a record. Returns false if the record needs another attempt. */
        private boolean takes(BatchMember<K, V> member, BatchOutcome outcome) throws Exception {
            switch (outcome) {
                case BatchOutcome.Done done -> {
                    member.job.countAttempt();
                    member.outcome = new HandlerOutcome.Done<>(member.job.raw(), record(member), member.job.attempts());
                }
                case BatchOutcome.Skip skip -> member.outcome = new HandlerOutcome.Skipped<>();
                case BatchOutcome.Retry retry -> {
                    return !isTriedAgain(member, retry.cause());
                }
                case BatchOutcome.DeadLetter deadLetter -> {
                    member.job.countAttempt();
                    if (!rules.hasWayOut()) {
                        throw new KafkaPipelineException(
                                "the batch handler asks for a dead-letter record of " + place(member)
                                        + ", and the flow has no dead-letter topic: add deadLetter(...)",
                                deadLetter.cause());
                    }
                    member.outcome = new HandlerOutcome.Failed<>(new FailedRecord(
                            member.job.raw(), Reason.HANDLER, deadLetter.cause(), member.job.attempts(), false));
                }
            }
            return true;
        }

        /** Decides whether to retry a record. If not, stores the record's outcome. */
        private boolean isTriedAgain(BatchMember<K, V> member, Throwable thrown) throws Exception {
            member.job.countAttempt();
            boolean isTriedAgain = false;
            try {
                member.outcome = rules.decide(member.job, thrown, FailureRules.isOfTheMachinery(thrown));
                isTriedAgain = member.outcome == null && rules.isTriedAgain(member.job, thrown);
            } catch (Throwable inRules) {
                FailureRules.suppress(thrown, inRules);
            }
            if (isTriedAgain) {
                again = thrown;
            } else if (member.outcome == null) {
                throw asException(thrown);
            }
            return isTriedAgain;
        }
    }

    private static Exception asException(Throwable thrown) {
        if (thrown instanceof Error error) {
            throw error;
        }
        return thrown instanceof Exception exception
                ? exception
                : new KafkaPipelineException("a record failed: " + Thrown.text(thrown), thrown);
    }

    private List<BatchOutcome> outcomes(List<BatchMember<K, V>> members) throws Exception {
        List<ConsumerRecord<K, V>> records = new ArrayList<>(members.size());
        members.forEach(member -> records.add(record(member)));
        List<RecordTracing.Attempt> attempts = new ArrayList<>(members.size());
        Throwable failure = null;
        try {
            for (ConsumerRecord<K, V> record : records) {
                attempts.add(rules.tracing().begin(record));
            }
            List<ConsumerRecord<K, V>> given = List.copyOf(records);
            List<BatchOutcome> outcomes = rules.timeout() == null
                    ? handler.handle(given)
                    : TimedCall.call(() -> handler.handle(given), rules.timeout(), given.getFirst());
            check(outcomes, members);
            for (int i = 0; i < attempts.size(); i++) {
                switch (outcomes.get(i)) {
                    case BatchOutcome.Retry retry -> rules.trace(attempts.get(i), retry.cause());
                    case BatchOutcome.DeadLetter deadLetter -> rules.trace(attempts.get(i), deadLetter.cause());
                    default -> rules.trace(attempts.get(i), RecordTracing.Attempt::succeeded, null);
                }
            }
            return outcomes;
        } catch (Throwable thrown) {
            failure = thrown;
            attempts.forEach(attempt -> rules.trace(attempt, thrown));
            throw thrown;
        } finally {
            for (RecordTracing.Attempt attempt : attempts.reversed()) {
                rules.trace(attempt, RecordTracing.Attempt::close, failure);
            }
        }
    }

    private static <K, V> void check(@Nullable List<BatchOutcome> outcomes, List<BatchMember<K, V>> members) {
        if (outcomes == null
                || outcomes.size() != members.size()
                || outcomes.stream().anyMatch(Objects::isNull)) {
            throw new WrongAnswer("the batch handler returned "
                    + (outcomes == null ? "null" : outcomes.size() + " outcomes, or null among them,") + " for "
                    + members.size() + " records from " + place(members.getFirst())
                    + " on: it must return one outcome for each, in their order");
        }
    }

    private static <K, V> String place(BatchMember<K, V> member) {
        ConsumerRecord<byte[], byte[]> raw = member.job.raw();
        return raw.topic() + "-" + raw.partition() + "@" + raw.offset();
    }

    private static <K, V> ConsumerRecord<K, V> record(BatchMember<K, V> member) {
        return ((Decoded.Read<K, V>) member.job.decoded()).record();
    }

    private static final class WrongAnswer extends KafkaPipelineException {

        private static final long serialVersionUID = 1;

        WrongAnswer(String message) {
            super(message);
        }
    }
}
