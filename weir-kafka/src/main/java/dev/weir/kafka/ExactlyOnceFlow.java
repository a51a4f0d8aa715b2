package dev.weir.kafka;

import dev.weir.kafka.internal.out.transaction.ExactlyOnceRun;
import dev.weir.kafka.internal.out.transaction.TransactionLimits;
import dev.weir.kafka.internal.out.transaction.TransactionPlan;
import dev.weir.kafka.internal.out.transaction.TransactionalSource;
import dev.weir.kafka.produce.WriteFailures;
import dev.weir.stream.Action;
import dev.weir.stream.Pipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.jspecify.annotations.Nullable;

/**
 * A flow whose Kafka transactions commit output records together with the offsets of their inputs. A reader with {@code
 * isolation.level=read_committed} sees the output of each input exactly once, even after crashes and rebalances.
 * Immutable; made by {@link KafkaSource#exactlyOnce}.
 *
 * {@snippet :
 * KafkaSource.from(orders, "orders").exactlyOnce()
 *         .commitInterval(Duration.ofMillis(100))
 *         .produceTo(invoices, records -> records
 *                 .mapBlocking(64, RecordOrdering.byKey(), order -> price(order.value()))
 *                 .map(invoice -> new ProducerRecord<>("invoices", invoice.customer(), invoice)))
 *         .run();
 * }
 *
 * <p>The stream does not stop for a commit: a separate thread of the run commits one transaction while the next takes
 * records. All output of an input goes into one transaction, whatever operators made it; inputs may finish in any
 * order. Commits never overlap.
 *
 * <p>A failure of the pipeline aborts the open transaction, so none of its output becomes visible. A commit that fails
 * because the group or a coordinator moved also aborts, but the pipeline continues: partitions with records in the
 * transaction are read again from their committed offsets, the others are not affected. Side effects of stages are then
 * repeated.
 *
 * <p>A bounded read ({@link Subscription#untilEnd}) ends when all its output is committed. If a transaction aborts
 * after all input was read, its records are written again; they are kept in memory for that. Two kinds of input stay
 * undone and are named at the end: inputs in a transaction whose commit has an unknown outcome, and inputs of an
 * element made from both a lost partition and an owned one.
 */
public final class ExactlyOnceFlow<K, V> {

    private static final long DEFAULT_BYTES = 64L * 1024 * 1024;

    private final ConsumerSettings<K, V> settings;
    private final Subscription subscription;
    private final Duration commitInterval;
    private final int commitRecords;
    private final long commitBytes;
    private final @Nullable Action<? super List<RecordMetadata>> whenCommitted;
    private final WriteFailures failures;

    private ExactlyOnceFlow(
            ConsumerSettings<K, V> settings,
            Subscription subscription,
            Duration commitInterval,
            int commitRecords,
            long commitBytes,
            @Nullable Action<? super List<RecordMetadata>> whenCommitted,
            WriteFailures failures) {
        this.settings = settings;
        this.subscription = subscription;
        this.commitInterval = commitInterval;
        this.commitRecords = commitRecords;
        this.commitBytes = commitBytes;
        this.whenCommitted = whenCommitted;
        this.failures = failures;
    }

    static <K, V> ExactlyOnceFlow<K, V> of(ConsumerSettings<K, V> settings, Subscription subscription) {
        // Refuses contradictory settings here rather than at the start of the run.
        TransactionalSource.check(
                Objects.requireNonNull(settings, "settings"), Objects.requireNonNull(subscription, "subscription"));
        return new ExactlyOnceFlow<>(
                settings, subscription, Duration.ofMillis(100), 100_000, DEFAULT_BYTES, null, WriteFailures.fail());
    }

    /**
     * Sets how long a transaction takes records before it is committed: 1 ms to 10 min and less than the producer's
     * {@code transaction.timeout.ms}, which is 30 s by default; default 100 ms. Readers with {@code read_committed} see
     * records later by that time.
     */
    public ExactlyOnceFlow<K, V> commitInterval(Duration interval) {
        TransactionLimits.checkInterval(Objects.requireNonNull(interval, "interval"));
        return new ExactlyOnceFlow<>(
                settings, subscription, interval, commitRecords, commitBytes, whenCommitted, failures);
    }

    /** Sets the number of records that commits a transaction early: at least 1, default 100,000. */
    public ExactlyOnceFlow<K, V> commitRecords(int records) {
        TransactionLimits.checkRecords(records);
        return new ExactlyOnceFlow<>(
                settings, subscription, commitInterval, records, commitBytes, whenCommitted, failures);
    }

    /** Sets the number of key and value bytes that commits a transaction early: at least 1, default 64 MB. */
    public ExactlyOnceFlow<K, V> commitBytes(long bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("commitBytes must be at least 1: commitBytes=" + bytes);
        }
        return new ExactlyOnceFlow<>(
                settings, subscription, commitInterval, commitRecords, bytes, whenCommitted, failures);
    }

    /**
     * Receives, after each commit, the metadata of the transaction's records: topic, partition, offset, timestamp.
     * Called once per commit, in commit order; within a transaction, records of a partition are in order. Aborted
     * transactions are not reported, nor is a commit right before the process crashed.
     *
     * @param listener called by the committing thread, which waits for it; an exception fails the run. Costs one object
     *     for each record of the open transaction
     */
    public ExactlyOnceFlow<K, V> whenCommitted(Action<? super List<RecordMetadata>> listener) {
        return new ExactlyOnceFlow<>(
                settings,
                subscription,
                commitInterval,
                commitRecords,
                commitBytes,
                Objects.requireNonNull(listener, "listener"),
                failures);
    }

    /**
     * Sets the rule for records that cannot be written, default {@link WriteFailures#fail}. A dead-letter record is
     * written in the transaction of its input's offset by the flow's own producer, so the flow's interceptors,
     * partitioner and {@link #whenCommitted} listener see it. Of the dead-letter settings, only topic, group and
     * treatment of oversized records apply. A dead-letter record refused for another reason fails the run.
     *
     * <p>A refusal aborts the transaction, and its inputs are read again. Each record made from the refused record's
     * input is then tried alone in a transaction that is aborted, so that only refused ones are left out. A rule costs
     * a few more objects per record until it is answered. After a bounded read has read all its input, the run itself
     * writes aborted records again. A drain of an unbounded read leaves the inputs of such a transaction undone.
     */
    public ExactlyOnceFlow<K, V> onFailure(WriteFailures newFailures) {
        return new ExactlyOnceFlow<>(
                settings,
                subscription,
                commitInterval,
                commitRecords,
                commitBytes,
                whenCommitted,
                Objects.requireNonNull(newFailures, "failures"));
    }

    /**
     * Closes the flow with a transactional producer. The records may go to several topics.
     *
     * <p>Fails the run with {@link ProduceException} when a record cannot be written and no {@linkplain #onFailure
     * rule} covers it, and with {@link KafkaPipelineException} when the brokers refuse transactions. A normal end, a
     * stop or a drain commits the finished work; a failure or a cancellation aborts it.
     *
     * @param producer without {@code transactional.id}; each run makes its own from the group's name
     * @param transform applies any operators to the source that it receives, and returns the result; called once,
     *     immediately
     * @throws IllegalArgumentException if the settings contradict transactions, or the dead-letter records go to
     *     another cluster
     */
    public <A, B> Pipeline produceTo(
            ProducerSettings<A, B> producer,
            Function<? super Source<ConsumerRecord<K, V>>, ? extends Source<ProducerRecord<A, B>>> transform) {
        Objects.requireNonNull(producer, "producer");
        Objects.requireNonNull(transform, "transform");
        TransactionLimits.checkDeadLetterTopic(producer, failures.deadLetterTopic());
        ExactlyOnceRun<A, B> run = run(producer, TransactionLimits.timeout(producer, commitInterval));
        Source<ConsumerRecord<K, V>> source =
                Source.custom("consume", new TransactionalSource<>(settings, subscription, run));
        return Objects.requireNonNull(transform.apply(source), "the result of the transform")
                .to(Sink.custom("produce", run));
    }

    private <A, B> ExactlyOnceRun<A, B> run(ProducerSettings<A, B> producer, Duration timeout) {
        return new ExactlyOnceRun<>(
                producer,
                whenCommitted,
                failures,
                (group, member) ->
                        TransactionPlan.ofNewRun(group, member, commitInterval, commitRecords, commitBytes, timeout));
    }
}
