package dev.weir.kafka;

import dev.weir.kafka.deadletter.DeadLetterTopic;
import dev.weir.kafka.deadletter.FailedRecord;
import dev.weir.kafka.internal.handler.FailureRules;
import dev.weir.kafka.internal.handler.ForwardSink;
import dev.weir.kafka.internal.handler.HandlerJob;
import dev.weir.kafka.internal.handler.HandlerOutcome;
import dev.weir.kafka.internal.handler.RetryTiers;
import dev.weir.kafka.internal.out.write.RoutingSink;
import dev.weir.kafka.internal.share.member.ReturnedRecords;
import dev.weir.kafka.produce.WriteFailures;
import dev.weir.kafka.spi.RecordTracing;
import dev.weir.stream.Ordering;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RetryPolicy;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * A {@link KafkaFlow} with its handler, to be configured with rules for failed records and then with a destination for
 * the results. Immutable.
 *
 * <p>Without any rule, the first failure fails the pipeline, and the next run receives the record again.
 */
public final class HandledFlow<K, V, R> {

    private final Origin<K, V> flow;
    private final Ordering<HandlerJob<K, V>> ordering;
    private final HandlerStage<K, V, R> stage;
    private final FailureRules rules;
    private final @Nullable DeadLetterTopic deadLetterTopic;
    private final @Nullable RetryTopics retryTopics;

    /** The stage that calls the handler. */
    @FunctionalInterface
    interface HandlerStage<K, V, R> {
        Source<HandlerOutcome<R>> under(
                Source<HandlerJob<K, V>> jobs, Ordering<HandlerJob<K, V>> ordering, FailureRules rules);
    }

    /**
     * The origin of the records.
     *
     * @param records creates the source; its argument is the flow's dead-letter topic, or null if the flow has none
     * @param deadLetterTopic creates a dead-letter topic on the same cluster
     * @param group the flow of the consumer group from which the records come; null for a share group
     */
    record Origin<K, V>(
            Function<@Nullable DeadLetterTopic, Source<? extends ConsumerRecord<byte[], byte[]>>> records,
            RecordDecoder<K, V> decoder,
            Function<String, DeadLetterTopic> deadLetterTopic,
            @Nullable KafkaFlow<K, V> group) {

        static <K, V> Origin<K, V> of(KafkaFlow<K, V> flow) {
            ConsumerSettings<K, V> settings = flow.settings();
            return new Origin<>(
                    deadLetterTopic -> KafkaSource.undecoded(settings, flow.subscription()),
                    new RecordDecoder<>(settings.keyDeserializer(), settings.valueDeserializer()),
                    topic -> DeadLetterTopic.of(topic, settings),
                    flow);
        }
    }

    private HandledFlow(
            Origin<K, V> flow,
            Ordering<HandlerJob<K, V>> ordering,
            HandlerStage<K, V, R> stage,
            FailureRules rules,
            @Nullable DeadLetterTopic deadLetterTopic,
            @Nullable RetryTopics retryTopics) {
        this.flow = flow;
        this.ordering = ordering;
        this.stage = stage;
        this.rules = rules;
        this.deadLetterTopic = deadLetterTopic;
        this.retryTopics = retryTopics;
    }

    static <K, V, R> HandledFlow<K, V, R> of(
            Origin<K, V> flow, Ordering<? super ConsumerRecord<K, V>> ordering, HandlerStage<K, V, R> stage) {
        Ordering<HandlerJob<K, V>> onJobs = onJobs(Objects.requireNonNull(ordering, "ordering"));
        // Rejects out-of-bounds settings here rather than when the flow is run.
        var unused = stage.under(Source.empty(), onJobs, FailureRules.NONE);
        return new HandledFlow<>(flow, onJobs, stage, FailureRules.NONE, null, null);
    }

    private static <K, V> Ordering<HandlerJob<K, V>> onJobs(Ordering<? super ConsumerRecord<K, V>> ordering) {
        if (ordering.isKeyed()) {
            return Ordering.byHash(job ->
                    job.decoded() instanceof Decoded.Read<K, V> read ? ordering.keyOf(read.record()) : Ordering.NO_KEY);
        }
        return ordering.isInput() ? Ordering.input() : Ordering.unordered();
    }

    /** Names the handler stage and supervises it, so that calls are repeated as the rules require. */
    static <R> Source<HandlerOutcome<R>> supervised(Source<HandlerOutcome<R>> calls, FailureRules rules) {
        return calls.named("handle").supervised(rules.supervision());
    }

    private HandledFlow<K, V, R> with(FailureRules newRules) {
        return new HandledFlow<>(flow, ordering, stage, newRules, deadLetterTopic, retryTopics);
    }

    /**
     * Retries the handler when it throws. Records queued behind the failed one, by key or input order, keep waiting;
     * others continue. The wait between two calls occupies one of the concurrent calls; on virtual threads, it does not
     * block a platform thread.
     */
    public HandledFlow<K, V, R> retry(RetryPolicy policy) {
        return with(rules.withRetry(Objects.requireNonNull(policy, "policy")));
    }

    /**
     * Sets the timeout of a single handler call, at most a day. A call that takes longer is interrupted, or its future
     * is cancelled, and fails with {@link HandlerTimeoutException}. If a blocking handler ignores interrupts, the
     * pipeline waits for it to return.
     */
    public HandledFlow<K, V, R> timeout(Duration timeout) {
        return with(rules.withTimeout(Objects.requireNonNull(timeout, "timeout")));
    }

    /**
     * Sets the timeout of a handler call and the action for a record that exceeds it; see {@link #timeout(Duration)}.
     */
    public HandledFlow<K, V, R> timeout(Duration timeout, FailureAction action) {
        return timeout(timeout).on(HandlerTimeoutException.class, action);
    }

    /**
     * Sets the action for records whose handler throws this type. The first matching rule applies;
     * {@link FailureAction#RETRY} applies to all other types. A record that cannot be decoded is treated as having
     * thrown {@link RecordDecodeException}, which is never retried.
     *
     * <p>Errors that are not caused by the record fail the pipeline regardless of any rules: an
     * {@link InterruptedException}, a {@link LinkageError}, or a {@link VirtualMachineError} other than
     * {@link StackOverflowError}.
     *
     * @throws IllegalArgumentException if the rule can have no effect, because it is for such an error or an earlier
     *     rule always matches first
     */
    public HandledFlow<K, V, R> on(Class<? extends Throwable> type, FailureAction action) {
        if (action == FailureAction.REJECT && flow.group() != null) {
            throw new IllegalArgumentException(
                    "only share groups forget a record: action=REJECT; use SKIP, or KafkaFlow.shared");
        }
        return with(rules.with(new FailureRules.ByType(
                Objects.requireNonNull(type, "type"), Objects.requireNonNull(action, "action"))));
    }

    /**
     * Makes handler calls, including retries, wait while {@code breaker} is open. If a record's partition is revoked
     * while the record waits, the record is dropped without a call and does not delay the rebalance.
     */
    public HandledFlow<K, V, R> breaker(CircuitBreaker breaker) {
        return with(rules.withBreaker(Objects.requireNonNull(breaker, "breaker")));
    }

    /**
     * Traces each record from its arrival to its acknowledgement, including retry topics. The module {@code weir-otel}
     * provides {@code tracing} for OpenTelemetry.
     */
    public HandledFlow<K, V, R> with(RecordTracing tracing) {
        Objects.requireNonNull(tracing, "tracing");
        return with(rules.withTracing(tracing.inGroup(groupId())));
    }

    /**
     * Sends dead-letter records to a topic on the consumer's cluster, with the consumer's settings and group; see
     * {@link #deadLetter(DeadLetterTopic)}.
     */
    public HandledFlow<K, V, R> deadLetter(String topic) {
        return deadLetter(flow.deadLetterTopic().apply(topic));
    }

    /**
     * Sets the topic for records that fail permanently, cannot be decoded, or whose result {@link #produceTo} cannot
     * write. Unless {@link ConsumerSettings#unreadableBatches} specifies otherwise, the topic also receives batches
     * that cannot be read, each as one record whose value is the batch. {@link DeadLetterTopic#sink} documents the
     * guarantees.
     */
    public HandledFlow<K, V, R> deadLetter(DeadLetterTopic newTopic) {
        Objects.requireNonNull(newTopic, "topic");
        return new HandledFlow<>(flow, ordering, stage, rules.withWayOut(), newTopic, retryTopics);
    }

    /**
     * Sets the retry topics, in which failed records wait before this flow handles them again. After the last retry
     * topic, a record goes to the dead-letter topic, so {@link #deadLetter} is required too. Retried records are no
     * longer in order.
     *
     * <p>All topics must exist when the pipeline starts. Each has its own consumer in the same group. A retried record
     * looks as it did in its original topic, except for the headers with {@link RetryTopics#PREFIX}.
     */
    public HandledFlow<K, V, R> retryTopics(RetryTopics topics) {
        if (flow.group() == null) {
            throw new IllegalArgumentException(
                    "retryTopics(...) does not go with a share group, which delivers a record again by itself");
        }
        return new HandledFlow<>(
                flow, ordering, stage, rules, deadLetterTopic, Objects.requireNonNull(topics, "topics"));
    }

    private Source<HandlerOutcome<R>> outcomes() {
        Source<ConsumerRecord<byte[], byte[]>> raw =
                flow.records().apply(deadLetterTopic).map(record -> (ConsumerRecord<byte[], byte[]>) record);
        KafkaFlow<K, V> group = flow.group();
        if (retryTopics != null && group != null) {
            RetryTiers tiers = new RetryTiers(retryTopics, requiredDeadLetterTopic());
            for (var tier :
                    tiers.sources(group.settings().raw(), group.subscription().isBounded())) {
                raw = raw.merge(tier);
            }
        }
        raw = rules.tracing().arriving(raw);
        RecordDecoder<K, V> decoder = flow.decoder();
        return stage.under(
                raw.map(record -> new HandlerJob<>(decoder.apply(record))).named("decode"), ordering, rules);
    }

    private String groupId() {
        KafkaFlow<K, V> group = flow.group();
        return group == null ? "" : Objects.requireNonNullElse(group.settings().groupId(), "");
    }

    private DeadLetterTopic requiredDeadLetterTopic() {
        if (deadLetterTopic == null) {
            throw new IllegalStateException(
                    "retryTopics(...) needs deadLetter(...): where records go after the last one");
        }
        return deadLetterTopic;
    }

    private static <R> boolean isFailed(HandlerOutcome<R> outcome) {
        return outcome instanceof HandlerOutcome.Failed<R>;
    }

    /** Returns the results, excluding failed records. */
    private Source<HandlerOutcome.Done<R>> done() {
        Source<HandlerOutcome<R>> outcomes = outcomes();
        if (flow.group() == null) {
            outcomes = outcomes.<HandlerOutcome<R>>map(ReturnedRecords::again).named("again");
        }
        Sink<FailedRecord> forward = forward();
        if (forward != null) {
            outcomes = outcomes.divertTo(
                    Sink.through(failed -> failed.map(each -> ((HandlerOutcome.Failed<R>) each).failed())
                            .named("failed")
                            .to(forward)),
                    HandledFlow::isFailed);
        }
        return outcomes.<HandlerOutcome.Done<R>>collect(
                        outcome -> outcome instanceof HandlerOutcome.Done<R> done ? done : null)
                .named("done");
    }

    private @Nullable Sink<FailedRecord> forward() {
        if (retryTopics == null) {
            return deadLetterTopic == null ? null : deadLetterTopic.sink();
        }
        DeadLetterTopic last = requiredDeadLetterTopic();
        RetryTiers tiers = new RetryTiers(retryTopics, last);
        List<String> topics = new ArrayList<>(tiers.topics());
        topics.add(last.topic());
        return Sink.custom("retry", new ForwardSink(last.settings(), topics, tiers));
    }

    /** Returns the results of all records that did not fail, as a source for further operators. */
    public Source<R> results() {
        return done().<R>map(HandlerOutcome.Done::result).named("results");
    }

    /**
     * Completes the flow with a producer, like {@link KafkaSink#records}. A result may be impossible to write because
     * it is too large, not serializable or rejected by the broker, or because {@code records} throws. In that case, its
     * consumed record goes to the dead-letter topic; if there is none, the pipeline fails. A missing or forbidden topic
     * always fails the pipeline.
     *
     * @param records creates the output record from a result; called on the pipeline's thread
     */
    public <A, B> Pipeline produceTo(
            ProducerSettings<A, B> settings, Function<? super R, ProducerRecord<A, B>> records) {
        return produceTo(
                settings,
                records,
                deadLetterTopic == null
                        ? WriteFailures.fail()
                        : WriteFailures.deadLetter(deadLetterTopic).ofRecordsOnly());
    }

    /**
     * Completes the flow with a producer and a separate rule for results that cannot be written; otherwise like
     * {@link #produceTo(ProducerSettings, Function)}. Dead-letter records written by the rule contain the consumed
     * record.
     */
    public <A, B> Pipeline produceTo(
            ProducerSettings<A, B> settings,
            Function<? super R, ProducerRecord<A, B>> records,
            WriteFailures failures) {
        Objects.requireNonNull(records, "records");
        Objects.requireNonNull(failures, "failures");
        return done().to(Sink.custom(
                "produce", new RoutingSink<R, A, B>(settings, done -> written(done, records), failures)));
    }

    private <A, B> ProducerRecord<A, B> written(
            HandlerOutcome.Done<R> done, Function<? super R, ProducerRecord<A, B>> records) {
        ProducerRecord<A, B> record = records.apply(done.result());
        if (record != null) {
            rules.tracing().producing(done.raw(), record);
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
