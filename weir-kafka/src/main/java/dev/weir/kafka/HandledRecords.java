package dev.weir.kafka;

import dev.weir.kafka.deadletter.DeadLetterTopic;
import dev.weir.kafka.deadletter.FailedRecord;
import dev.weir.kafka.internal.handler.FailureRules;
import dev.weir.kafka.internal.handler.HandlerOutcome;
import dev.weir.kafka.internal.handler.HandlerPlan;
import dev.weir.kafka.internal.out.write.RoutingSink;
import dev.weir.kafka.produce.WriteFailures;
import dev.weir.kafka.spi.RecordTracing;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RetryPolicy;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * A flow with its handler. Configure the rules for failed records first, and then a destination for the results. A
 * {@link HandledFlow} reads with a consumer group, a {@link HandledSharedFlow} with a share group. Immutable.
 *
 * <p>Without any rule, the first failure fails the pipeline, and the next run receives the record again.
 *
 * @param <F> the type of the flow itself, which each rule returns
 */
public abstract sealed class HandledRecords<K, V, R, F extends HandledRecords<K, V, R, F>>
        permits HandledFlow, HandledSharedFlow {

    final HandlerPlan<K, V, R> plan;

    HandledRecords(HandlerPlan<K, V, R> plan) {
        this.plan = plan;
    }

    abstract F copy(HandlerPlan<K, V, R> newPlan);

    abstract Source<ConsumerRecord<byte[], byte[]>> records();

    abstract DeadLetterTopic deadLetterTopic(String topic);

    /** Throws if the flow would endlessly read its own dead-letter records. */
    abstract void refuseLoop(DeadLetterTopic topic);

    abstract String groupId();

    private F with(FailureRules newRules) {
        return copy(plan.with(newRules));
    }

    /**
     * Retries the handler when it throws. Records that must be handled after the failed record, because of their key or
     * the input order, keep waiting. Other records continue. A record that is waiting to be retried still counts toward
     * the concurrency limit. On virtual threads, the wait does not block a platform thread. A handler that throws
     * {@link RecordDecodeException} is not retried.
     */
    public F retry(RetryPolicy policy) {
        return with(plan.rules().withRetry(Objects.requireNonNull(policy, "policy")));
    }

    /**
     * Sets the timeout of a single handler call, at most a day. A call that takes longer is interrupted, or its future
     * is cancelled, and fails with {@link HandlerTimeoutException}. If a blocking handler ignores interrupts, the
     * pipeline waits for it to return.
     */
    public F timeout(Duration timeout) {
        return with(plan.rules().withTimeout(Objects.requireNonNull(timeout, "timeout")));
    }

    /**
     * Sets the timeout of a handler call and the action for a record that exceeds it; see {@link #timeout(Duration)}.
     */
    public F timeout(Duration timeout, FailureAction action) {
        return timeout(timeout).on(HandlerTimeoutException.class, action);
    }

    /**
     * Sets the action for records whose handler throws this type. The first matching rule applies;
     * {@link FailureAction#RETRY} applies to all other types. If a record cannot be decoded, the rules are applied as
     * if its handler had thrown {@link RecordDecodeException}, but the record is never retried.
     *
     * <p>Errors that are not caused by the record fail the pipeline regardless of any rules: an
     * {@link InterruptedException}, a {@link LinkageError}, or a {@link VirtualMachineError} other than
     * {@link StackOverflowError}.
     *
     * @throws IllegalArgumentException if the rule can have no effect, because it is for such an error or an earlier
     *     rule always matches first
     */
    public F on(Class<? extends Throwable> type, FailureAction action) {
        return with(plan.rules().with(type, action));
    }

    /**
     * Makes handler calls, including retries, wait while {@code breaker} is open. If a record's partition is revoked
     * while the record waits, the record is dropped without a call and does not delay the rebalance.
     */
    public F breaker(CircuitBreaker breaker) {
        return with(plan.rules().withBreaker(Objects.requireNonNull(breaker, "breaker")));
    }

    /**
     * Traces each record from its arrival to its acknowledgement, also through retry topics. The module
     * {@code weir-otel} provides {@code tracing} for OpenTelemetry.
     */
    public F with(RecordTracing tracing) {
        Objects.requireNonNull(tracing, "tracing");
        return with(plan.rules().withTracing(tracing.inGroup(groupId())));
    }

    /**
     * Sends dead-letter records to a topic on the consumer's cluster, with the consumer's security settings. Each
     * dead-letter record names the consumer's group.
     */
    public F deadLetter(String topic) {
        return deadLetter(deadLetterTopic(topic));
    }

    /**
     * Sets the topic for records that fail permanently, that cannot be decoded, or whose result {@link #produceTo}
     * cannot write. By default, each unreadable batch also becomes a record in this topic; see
     * {@link ConsumerSettings#unreadableBatches}. {@link DeadLetterTopic#sink} documents the guarantees.
     *
     * @throws IllegalArgumentException if the flow is unbounded and itself reads the dead-letter topic
     */
    public F deadLetter(DeadLetterTopic newTopic) {
        Objects.requireNonNull(newTopic, "topic");
        refuseLoop(newTopic);
        return copy(plan.with(newTopic));
    }

    Source<HandlerOutcome<R>> outcomes() {
        return plan.outcomes(records());
    }

    private static <R> boolean isFailed(HandlerOutcome<R> outcome) {
        return outcome instanceof HandlerOutcome.Failed<R>;
    }

    /** Returns the results, excluding failed records. */
    private Source<HandlerOutcome.Done<R>> done() {
        Source<HandlerOutcome<R>> outcomes = outcomes();
        Sink<FailedRecord> forward = forward();
        if (forward != null) {
            outcomes = outcomes.divertTo(
                    Sink.through(failed -> failed.map(each -> ((HandlerOutcome.Failed<R>) each).failed())
                            .named("failed")
                            .to(forward)),
                    HandledRecords::isFailed);
        }
        return outcomes.<HandlerOutcome.Done<R>>collect(
                        outcome -> outcome instanceof HandlerOutcome.Done<R> done ? done : null)
                .named("done");
    }

    @Nullable
    Sink<FailedRecord> forward() {
        DeadLetterTopic topic = plan.deadLetterTopic();
        return topic == null ? null : topic.sink();
    }

    /** Returns the results of all records that did not fail, as a source for further operators. */
    public Source<R> results() {
        return done().<R>map(HandlerOutcome.Done::result).named("results");
    }

    /**
     * Completes the flow with a producer, like {@link KafkaSink#records}. A consumed record goes to the dead-letter
     * topic if its result is too large, not serializable or rejected by the broker, or if {@code records} throws.
     * Without such a topic, the pipeline fails. It also fails if the output topic does not exist or the producer may
     * not write to it.
     *
     * @param records creates the output record from a result; called on the pipeline's thread
     */
    public <A, B> Pipeline produceTo(
            ProducerSettings<A, B> settings, Function<? super R, ProducerRecord<A, B>> records) {
        DeadLetterTopic topic = plan.deadLetterTopic();
        return produceTo(
                settings,
                records,
                topic == null
                        ? WriteFailures.fail()
                        : WriteFailures.deadLetter(topic).ofRecordsOnly());
    }

    /**
     * Completes the flow like {@link #produceTo(ProducerSettings, Function)}, but with another rule for results that
     * cannot be written. The rule's dead-letter records contain the consumed record.
     */
    public <A, B> Pipeline produceTo(
            ProducerSettings<A, B> settings,
            Function<? super R, ProducerRecord<A, B>> records,
            WriteFailures failures) {
        Objects.requireNonNull(records, "records");
        DeadLetterTopic topic = Objects.requireNonNull(failures, "failures").deadLetterTopic();
        if (topic != null) {
            refuseLoop(topic);
        }
        return done().to(Sink.custom(
                "produce", new RoutingSink<R, A, B>(settings, done -> written(done, records), failures)));
    }

    private <A, B> ProducerRecord<A, B> written(
            HandlerOutcome.Done<R> done, Function<? super R, ProducerRecord<A, B>> records) {
        ProducerRecord<A, B> record = records.apply(done.result());
        if (record != null) {
            plan.rules().tracing().producing(done.raw(), record);
        }
        return record;
    }

    /** Completes the flow with a sink. */
    public Pipeline to(Sink<? super R> sink) {
        return results().to(sink);
    }

    /** Completes the flow without a destination: a record is finished when its handler returns. */
    public Pipeline pipeline() {
        return to(Sink.ignore());
    }

    /** Starts the {@link #pipeline}. */
    public RunningPipeline run() {
        return pipeline().run();
    }
}
