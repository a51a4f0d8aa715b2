package dev.weir.kafka;

import dev.weir.kafka.batch.BatchHandler;
import dev.weir.kafka.internal.handler.BatchGuard;
import dev.weir.kafka.internal.handler.HandlerPlan;
import dev.weir.kafka.internal.handler.HandlerPlan.HandlerStage;
import dev.weir.stream.Action;
import dev.weir.stream.Handler;
import dev.weir.stream.Ordering;
import dev.weir.stream.Parallelism;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * A consumer pipeline in a few lines: a source of records, a handler for each record, and rules for failures.
 * Immutable; nothing runs until a pipeline created from it is run.
 *
 * {@snippet :
 * KafkaFlow.from(orders, "orders")
 *         .handle(64, RecordOrdering.byKey(), order -> price(order.value()))
 *         .retry(RetryPolicy.of(3, Backoff.between(Duration.ofMillis(100), Duration.ofSeconds(5))))
 *         .deadLetter("orders-dead")
 *         .produceTo(invoices, invoice -> new ProducerRecord<>("invoices", invoice.customer(), invoice))
 *         .run();
 * }
 *
 * <p>Delivery is at least once, as with {@link KafkaSource#atLeastOnce}. A record is finished when the sink has written
 * or accepted its result, when the record was written to a retry or dead-letter topic, or when a rule has skipped it.
 * Its offset is committed when all earlier records of the partition are finished too.
 */
public final class KafkaFlow<K, V> {

    private static final int DEFAULT_BATCHES = 4;

    private final Values<K, V> values;

    private KafkaFlow(ConsumerSettings<K, V> settings, Subscription subscription) {
        this.values = new Values<>(settings, subscription);
    }

    /** The settings of the consumer. */
    public ConsumerSettings<K, V> settings() {
        return values.settings;
    }

    /** The subscription. */
    public Subscription subscription() {
        return values.subscription;
    }

    /** Creates a flow over all partitions of the topics. */
    public static <K, V> KafkaFlow<K, V> from(ConsumerSettings<K, V> settings, String... topics) {
        return from(settings, Subscription.topics(topics));
    }

    /** Creates a flow over the records of the subscription. */
    public static <K, V> KafkaFlow<K, V> from(ConsumerSettings<K, V> settings, Subscription subscription) {
        return new KafkaFlow<>(settings, subscription);
    }

    /** Creates a flow over the unordered records of a share group; see {@link SharedFlow}. */
    public static <K, V> SharedFlow<K, V> shared(ShareSettings<K, V> settings, String... topics) {
        return SharedFlow.from(settings, topics);
    }

    /** Calls the handler with a fixed concurrency; see {@link #handle(Parallelism, Ordering, Handler)}. */
    public <R> HandledFlow<K, V, R> handle(
            int concurrency,
            Ordering<? super ConsumerRecord<K, V>> ordering,
            Handler<? super ConsumerRecord<K, V>, ? extends R> handler) {
        return handle(Parallelism.fixed(concurrency), ordering, handler);
    }

    /**
     * Calls {@code handler}, which may block, on virtual threads, with at most the given number of concurrent calls and
     * in the given order; see {@link dev.weir.stream.Source#mapBlocking}.
     */
    public <R> HandledFlow<K, V, R> handle(
            Parallelism concurrency,
            Ordering<? super ConsumerRecord<K, V>> ordering,
            Handler<? super ConsumerRecord<K, V>, ? extends R> handler) {
        return handled(ordering, HandlerStage.blocking(concurrency, handler));
    }

    private <R> HandledFlow<K, V, R> handled(
            Ordering<? super ConsumerRecord<K, V>> ordering, HandlerStage<K, V, R> stage) {
        RecordDecoder<K, V> decoder =
                new RecordDecoder<>(settings().keyDeserializer(), settings().valueDeserializer());
        return new HandledFlow<>(HandlerPlan.of(decoder, ordering, stage), this, null);
    }

    /** Calls an action without a result, like {@link #handle}. Complete the flow with {@link HandledFlow#pipeline}. */
    public HandledFlow<K, V, ConsumerRecord<K, V>> forEach(
            int concurrency,
            Ordering<? super ConsumerRecord<K, V>> ordering,
            Action<? super ConsumerRecord<K, V>> action) {
        Objects.requireNonNull(action, "action");
        return handle(concurrency, ordering, record -> {
            action.accept(record);
            return record;
        });
    }

    /** Handles up to 4 batches concurrently; see {@link #handleBatch(int, int, Duration, Ordering, BatchHandler)}. */
    public HandledFlow<K, V, ConsumerRecord<K, V>> handleBatch(
            int max, Duration within, Ordering<? super ConsumerRecord<K, V>> ordering, BatchHandler<K, V> handler) {
        return handleBatch(DEFAULT_BATCHES, max, within, ordering, handler);
    }

    /**
     * Calls {@code handler}, which may block, on virtual threads with batches of up to {@code max} records. The handler
     * returns an outcome for each record. The flow emits records with the outcome {@code done}.
     *
     * <p>If the handler throws, the batch is split until the failing record is found. The rules of this flow apply only
     * to that record. With one failing record in a batch of n, the handler is called at most 2 log2(n) + 1 times,
     * rounded up. A record with an outcome is not handled again in this run.
     *
     * <p>With {@link RecordOrdering#byKey} or {@link RecordOrdering#byPartition}, two calls never handle records with
     * the same key at the same time, and the order of these records is kept. While a record is retried, the other
     * records of its batch wait, and so do later records with its key. A rebalance waits for running calls, and drops
     * other records of revoked partitions.
     *
     * @param concurrency the number of batches handled concurrently; at least 1. With ordering by key or partition,
     *     also the number of queues in which records wait for their batch
     * @param max the maximum number of records in a batch; at least 1
     * @param within how long a batch waits for more records after its first; more than zero, at most an hour
     */
    public HandledFlow<K, V, ConsumerRecord<K, V>> handleBatch(
            int concurrency,
            int max,
            Duration within,
            Ordering<? super ConsumerRecord<K, V>> ordering,
            BatchHandler<K, V> handler) {
        Objects.requireNonNull(within, "within");
        Objects.requireNonNull(handler, "handler");
        return handled(
                ordering,
                (jobs, order, rules) -> BatchGuard.under(jobs, concurrency, max, within, order, rules, handler));
    }

    /**
     * Starts an asynchronous computation for each record, at most {@code parallelism} at a time and in the given order;
     * see {@link dev.weir.stream.Source#mapAsync}.
     */
    public <R> HandledFlow<K, V, R> handleAsync(
            int parallelism,
            Ordering<? super ConsumerRecord<K, V>> ordering,
            Function<? super ConsumerRecord<K, V>, ? extends CompletionStage<? extends R>> handler) {
        return handled(ordering, HandlerStage.async(parallelism, handler));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof KafkaFlow<?, ?> that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return values.toString().replaceFirst("Values", "KafkaFlow");
    }

    private record Values<K, V>(ConsumerSettings<K, V> settings, Subscription subscription) {

        Values {
            Objects.requireNonNull(settings, "settings");
            Objects.requireNonNull(subscription, "subscription");
        }
    }
}
