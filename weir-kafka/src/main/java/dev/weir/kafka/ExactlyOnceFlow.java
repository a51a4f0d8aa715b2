package dev.weir.kafka;

import dev.weir.kafka.deadletter.DeadLetterTopic;
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
 * A flow that uses Kafka transactions to commit output records together with the offsets of their inputs. A consumer
 * with {@code isolation.level=read_committed} sees the output of each input exactly once, even after crashes and
 * rebalances. Immutable; created by {@link KafkaSource#exactlyOnce}.
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
 * <p>The stream does not stop for a commit: a separate thread commits one transaction while the next one accepts
 * records. Commits never overlap. All output of an input goes into the same transaction, no matter which operators
 * created it. Inputs may finish in any order.
 *
 * <p>If the pipeline fails, the open transaction is aborted, so none of its output becomes visible. If a commit fails
 * because the group has rebalanced or a coordinator has moved, the transaction is aborted too, but the pipeline
 * continues. Partitions with records in the aborted transaction are read again from their committed offsets; other
 * partitions are not affected. The side effects of stages are repeated for the records that are read again.
 *
 * <p>A bounded read ({@link Subscription#untilEnd}) ends when all of its output has been committed. If a transaction is
 * aborted after all input was read, its output records are written again from memory. Inputs may remain unprocessed if
 * the outcome of a commit is unknown, or if partitions are lost. Such inputs are reported when the run ends.
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
        // Refuse contradictory settings here and not only when the run starts.
        TransactionalSource.check(
                Objects.requireNonNull(settings, "settings"), Objects.requireNonNull(subscription, "subscription"));
        return new ExactlyOnceFlow<>(
                settings, subscription, Duration.ofMillis(100), 100_000, DEFAULT_BYTES, null, WriteFailures.fail());
    }

    /**
     * Sets how long a transaction accepts records before it is committed: 1 ms to 10 min, default 100 ms. It must be
     * less than the producer's {@code transaction.timeout.ms}, which is 30 s by default. The interval delays output for
     * consumers with {@code read_committed}, which see records only after the commit.
     */
    public ExactlyOnceFlow<K, V> commitInterval(Duration interval) {
        TransactionLimits.checkInterval(Objects.requireNonNull(interval, "interval"));
        return new ExactlyOnceFlow<>(
                settings, subscription, interval, commitRecords, commitBytes, whenCommitted, failures);
    }

    /** Sets the number of records after which a transaction is committed early: at least 1, default 100,000. */
    public ExactlyOnceFlow<K, V> commitRecords(int records) {
        TransactionLimits.checkRecords(records);
        return new ExactlyOnceFlow<>(
                settings, subscription, commitInterval, records, commitBytes, whenCommitted, failures);
    }

    /**
     * Sets the number of key and value bytes after which a transaction is committed early: at least 1, default 64 MB.
     */
    public ExactlyOnceFlow<K, V> commitBytes(long bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("commitBytes must be at least 1: commitBytes=" + bytes);
        }
        return new ExactlyOnceFlow<>(
                settings, subscription, commitInterval, commitRecords, bytes, whenCommitted, failures);
    }

    /**
     * Sets a listener that receives, after each commit, the metadata of the transaction's records: topic, partition,
     * offset and timestamp. It is called once per commit, in commit order. Within a transaction, the records of a
     * partition are in order. Aborted transactions are not reported. If the process crashes just after a commit, that
     * commit is not reported either.
     *
     * @param listener called by the committing thread, which waits for it to return; an exception fails the run. With a
     *     listener, the flow allocates one more object for each record of the open transaction
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
     * Sets the rule for records that cannot be written; the default is {@link WriteFailures#fail}. A dead-letter record
     * is written by the flow's own producer, in the transaction that commits its input's offset. The flow's
     * interceptors, partitioner and {@link #whenCommitted} listener therefore see the dead-letter record. Only three
     * settings of the dead-letter topic apply: its name, its group and its treatment of oversized records. If the
     * dead-letter record is itself rejected for a reason other than its size, the run fails.
     *
     * <p>If a record is rejected, the transaction is aborted and its inputs are read again. When the rejected record's
     * input is processed again, each of its output records for the same topic is first sent alone, in a trial
     * transaction that is always aborted. The trials show which records to leave out. If an unbounded read is being
     * drained, the inputs of an aborted transaction remain unprocessed.
     *
     * @throws IllegalArgumentException if the flow is unbounded and itself reads the dead-letter topic
     */
    public ExactlyOnceFlow<K, V> onFailure(WriteFailures newFailures) {
        DeadLetterTopic topic = Objects.requireNonNull(newFailures, "failures").deadLetterTopic();
        if (topic != null) {
            subscription.refuseLoop(topic, settings);
        }
        return new ExactlyOnceFlow<>(
                settings, subscription, commitInterval, commitRecords, commitBytes, whenCommitted, newFailures);
    }

    /**
     * Completes the flow with a transactional producer. The records may go to several topics.
     *
     * <p>The run fails with {@link ProduceException} if a record cannot be written and no {@linkplain #onFailure rule}
     * covers it, and with {@link KafkaPipelineException} if the brokers refuse transactions. After a normal end, a stop
     * or a drain, finished work is committed. After a failure or a cancellation, the open transaction is aborted.
     *
     * @param producer producer settings without {@code transactional.id}, which each run derives from the group's name
     * @param transform applies operators to the given source and returns the result; called once, immediately
     * @throws IllegalArgumentException if the settings are incompatible with transactions, or if dead-letter records go
     *     to another cluster
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
