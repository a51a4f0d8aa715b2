package dev.weir.kafka;

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
 * A {@link KafkaFlow} with its handler: takes the rules for records that fail, then the destination of results.
 * Immutable.
 *
 * <p>If nothing is said, the first failure fails the pipeline, and the record comes again with the next run.
 */
public final class HandledFlow<K, V, R> {

    private final Origin<K, V> flow;
    private final Ordering<HandlerJob<K, V>> ordering;
    private final HandlerStage<K, V, R> stage;
    private final FailureRules rules;
    private final @Nullable DeadLetters letters;
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
     * @param records makes the source of them, with the dead letters of the flow, if there are any
     * @param letters dead letters to a topic on the same cluster
     * @param group the consumer group that they come from; null if it is a share group
     */
    record Origin<K, V>(
            Function<@Nullable DeadLetters, Source<? extends ConsumerRecord<byte[], byte[]>>> records,
            RecordDecoder<K, V> decoder,
            Function<String, DeadLetters> letters,
            @Nullable KafkaFlow<K, V> group) {

        static <K, V> Origin<K, V> of(KafkaFlow<K, V> flow) {
            ConsumerSettings<K, V> settings = flow.settings();
            return new Origin<>(
                    letters -> KafkaSource.undecoded(settings, flow.subscription()),
                    new RecordDecoder<>(settings.keyDeserializer(), settings.valueDeserializer()),
                    topic -> DeadLetters.to(topic, settings),
                    flow);
        }
    }

    private HandledFlow(
            Origin<K, V> flow,
            Ordering<HandlerJob<K, V>> ordering,
            HandlerStage<K, V, R> stage,
            FailureRules rules,
            @Nullable DeadLetters letters,
            @Nullable RetryTopics retryTopics) {
        this.flow = flow;
        this.ordering = ordering;
        this.stage = stage;
        this.rules = rules;
        this.letters = letters;
        this.retryTopics = retryTopics;
    }

    static <K, V, R> HandledFlow<K, V, R> of(
            Origin<K, V> flow, Ordering<? super ConsumerRecord<K, V>> ordering, HandlerStage<K, V, R> stage) {
        Ordering<HandlerJob<K, V>> onJobs = onJobs(Objects.requireNonNull(ordering, "ordering"));
        // It refuses here what is out of bounds, rather than when the flow is run.
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

    /** A stage that calls a handler for each record, and again as the rules say. */
    static <R> Source<HandlerOutcome<R>> supervised(Source<HandlerOutcome<R>> calls, FailureRules rules) {
        return calls.named("handle").supervised(rules.supervision());
    }

    private HandledFlow<K, V, R> with(FailureRules newRules) {
        return new HandledFlow<>(flow, ordering, stage, newRules, letters, retryTopics);
    }

    /**
     * Calls the handler again for a record for which it threw. Records that wait for this one, by key or by input, go
     * on waiting; the others go on. A wait between two calls counts as one of the concurrent calls; on virtual threads
     * it holds no thread of the machine.
     */
    public HandledFlow<K, V, R> retry(RetryPolicy policy) {
        return with(rules.withRetry(Objects.requireNonNull(policy, "policy")));
    }

    /**
     * Sets the time one call of the handler may take, at most a day. One that takes longer is interrupted, or its
     * future is cancelled, and has failed with a {@link HandlerTimeoutException}. A handler that blocks and ignores
     * interrupts is waited for.
     */
    public HandledFlow<K, V, R> timeout(Duration timeout) {
        return with(rules.withTimeout(Objects.requireNonNull(timeout, "timeout")));
    }

    /** {@link #timeout(Duration)} and the action for a record that takes longer. */
    public HandledFlow<K, V, R> timeout(Duration timeout, FailureAction action) {
        return timeout(timeout).on(HandlerTimeoutException.class, action);
    }

    /**
     * The action for a record whose handler throws this type; the first matching rule wins, and {@link
     * FailureAction#RETRY} holds for other types. A record that cannot be decoded counts as having thrown a {@link
     * RecordDecodeException}, which is never retried.
     *
     * <p>Errors that say nothing of the record fail the pipeline whatever the rules are: an {@link
     * InterruptedException}, a {@link LinkageError}, a {@link VirtualMachineError} other than {@link
     * StackOverflowError}.
     *
     * @throws IllegalArgumentException if the rule can have no effect: for such an error, or because a rule before it
     *     matches first
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
     * Lets calls of the handler, retries too, wait while {@code breaker} is open. A record whose partition goes to
     * another member meanwhile is not handled here any more, and costs the rebalance no time.
     */
    public HandledFlow<K, V, R> breaker(CircuitBreaker breaker) {
        return with(rules.withBreaker(Objects.requireNonNull(breaker, "breaker")));
    }

    /**
     * Makes {@code tracing} follow each record, from its arrival here, retry topics included, to its acknowledgement.
     * Module {@code weir-otel} has one for OpenTelemetry.
     */
    public HandledFlow<K, V, R> with(RecordTracing tracing) {
        Objects.requireNonNull(tracing, "tracing");
        return with(rules.withTracing(tracing.inGroup(groupId())));
    }

    /**
     * {@link #deadLetter(DeadLetters)} on the cluster that is read, with the settings and the group of the consumer.
     */
    public HandledFlow<K, V, R> deadLetter(String topic) {
        return deadLetter(flow.letters().apply(topic));
    }

    /**
     * Sets the topic of records whose handler failed for good, that cannot be decoded, or whose result cannot be
     * written by {@link #produceTo}; and batches that cannot be read, each as one letter with the batch as its value,
     * unless {@link ConsumerSettings#unreadableBatches} says otherwise. See {@link DeadLetters#sink} for the promises.
     */
    public HandledFlow<K, V, R> deadLetter(DeadLetters newLetters) {
        Objects.requireNonNull(newLetters, "letters");
        return new HandledFlow<>(flow, ordering, stage, rules.withWayOut(), newLetters, retryTopics);
    }

    /**
     * Sets the topics in which records wait, after the retries in place, to be handled again by this flow. After the
     * last topic they become dead letters, so that {@link #deadLetter} must be said, too. Their order is given up.
     *
     * <p>All topics must exist when the pipeline starts. Each has a consumer of its own in the same group. A record
     * that is handled again looks as it did in the topic it came from, but for headers {@link RetryTopics#PREFIX}.
     */
    public HandledFlow<K, V, R> retryTopics(RetryTopics topics) {
        if (flow.group() == null) {
            throw new IllegalArgumentException(
                    "retryTopics(...) does not go with a share group, which delivers a record again by itself");
        }
        return new HandledFlow<>(flow, ordering, stage, rules, letters, Objects.requireNonNull(topics, "topics"));
    }

    private Source<HandlerOutcome<R>> outcomes() {
        Source<ConsumerRecord<byte[], byte[]>> raw =
                flow.records().apply(letters).map(record -> (ConsumerRecord<byte[], byte[]>) record);
        KafkaFlow<K, V> group = flow.group();
        if (retryTopics != null && group != null) {
            RetryTiers tiers = new RetryTiers(retryTopics, requiredLetters());
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

    private DeadLetters requiredLetters() {
        if (letters == null) {
            throw new IllegalStateException(
                    "retryTopics(...) needs deadLetter(...): where records go after the last one");
        }
        return letters;
    }

    private static <R> boolean isFailed(HandlerOutcome<R> outcome) {
        return outcome instanceof HandlerOutcome.Failed<R>;
    }

    /** The results; failed records have gone their way. */
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
            return letters == null ? null : letters.sink();
        }
        DeadLetters last = requiredLetters();
        RetryTiers tiers = new RetryTiers(retryTopics, last);
        List<String> topics = new ArrayList<>(tiers.topics());
        topics.add(last.topic());
        return Sink.custom("retry", new ForwardSink(last.settings(), topics, tiers));
    }

    /** The results, to go on with operators of your own; failed records have gone their way. */
    public Source<R> results() {
        return done().<R>map(HandlerOutcome.Done::result).named("results");
    }

    /**
     * Closes the flow with a producer, as {@link KafkaSink#producing}. A result that cannot be written (too large, not
     * serialisable, refused by the broker, {@code records} throws) makes its record a dead letter; without a
     * dead-letter topic it fails the pipeline. A topic that is missing or forbidden always does.
     *
     * @param records makes the record to write of a result; called on the pipeline's thread
     */
    public <A, B> Pipeline produceTo(
            ProducerSettings<A, B> settings, Function<? super R, ProducerRecord<A, B>> records) {
        return produceTo(
                settings,
                records,
                letters == null
                        ? WriteFailures.fail()
                        : WriteFailures.deadLetter(letters).ofRecordsOnly());
    }

    /**
     * {@link #produceTo(ProducerSettings, Function)} with a rule of its own for results that cannot be written; a dead
     * letter of that rule is the consumed record.
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

    /** Closes the flow with a sink. */
    public Pipeline to(Sink<? super R> sink) {
        return results().to(sink);
    }

    /** Closes the flow: a record whose handler has returned is done. */
    public Pipeline pipeline() {
        return to(Sink.ignore());
    }

    /** {@link #pipeline} and run. */
    public RunningPipeline run() {
        return pipeline().run();
    }
}
