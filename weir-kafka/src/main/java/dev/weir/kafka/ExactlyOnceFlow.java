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
 * Consumed records, what is made of them, and the offsets, all committed together by transactions of Kafka: a reader
 * with {@code isolation.level=read_committed} sees the output of each input exactly once, also after crashes and
 * rebalances. Immutable; made by {@link KafkaSource#exactlyOnce}.
 *
 * {@snippet :
 * KafkaSource.exactlyOnce(orders, "orders")
 *         .commitInterval(Duration.ofMillis(100))
 *         .produceTo(invoices, records -> records
 *                 .mapBlocking(64, RecordOrdering.byKey(), order -> price(order.value()))
 *                 .map(invoice -> new ProducerRecord<>("invoices", invoice.customer(), invoice)))
 *         .run();
 * }
 *
 * <p>The stream does not stop for a commit: the next transaction takes records while the last one is being committed,
 * which a thread of the run's own does. All records that come of an input, by whatever operators, go into one
 * transaction; inputs may be finished in any order. Commits come one after the other.
 *
 * <p>What fails the pipeline aborts the open transaction, so that nothing of it becomes visible. A commit that fails
 * because the group or a coordinator moved on aborts, too, but the pipeline goes on: the partitions with records in it
 * are read again from where the group has committed, and the others are not touched. Side effects of the stages
 * themselves are then repeated.
 *
 * <p>A bounded read ({@link Subscription#untilEnd}) ends when all that it wrote is committed. What is aborted when
 * nothing is read any more is written again, for which the records of open transactions are kept in memory. Left undone
 * then, and named at the end, are inputs of a transaction of which nobody knows whether it was committed, and of an
 * element that was made of a partition that is lost and of one that is not.
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
        // It refuses here what does not go together, rather than later.
        TransactionalSource.check(
                Objects.requireNonNull(settings, "settings"), Objects.requireNonNull(subscription, "subscription"));
        return new ExactlyOnceFlow<>(
                settings, subscription, Duration.ofMillis(100), 100_000, DEFAULT_BYTES, null, WriteFailures.fail());
    }

    /**
     * Sets the time a transaction takes records before it is committed: 1 ms to 10 min and less than {@code
     * transaction.timeout.ms} of the producer, which is 30 s by default; default 100 ms. Readers with {@code
     * read_committed} see a record that much later.
     */
    public ExactlyOnceFlow<K, V> commitInterval(Duration interval) {
        TransactionLimits.checkInterval(Objects.requireNonNull(interval, "interval"));
        return new ExactlyOnceFlow<>(
                settings, subscription, interval, commitRecords, commitBytes, whenCommitted, failures);
    }

    /** Sets the number of records at which a transaction is committed before its time: at least 1, default 100,000. */
    public ExactlyOnceFlow<K, V> commitRecords(int records) {
        TransactionLimits.checkRecords(records);
        return new ExactlyOnceFlow<>(
                settings, subscription, commitInterval, records, commitBytes, whenCommitted, failures);
    }

    /**
     * Sets the bytes of keys and values at which a transaction is committed before its time: at least 1, default 64 MB.
     */
    public ExactlyOnceFlow<K, V> commitBytes(long bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("commitBytes must be at least 1: commitBytes=" + bytes);
        }
        return new ExactlyOnceFlow<>(
                settings, subscription, commitInterval, commitRecords, bytes, whenCommitted, failures);
    }

    /**
     * Receives, after each commit, the places of that transaction's records: topic, partition, offset, timestamp. In
     * the order of the commits, once for each; a transaction that is aborted is not told of, nor is one whose commit
     * was the last thing that a process did before it died. Within a transaction, the records of a partition come in
     * its order.
     *
     * @param listener called by the thread that commits, which waits for it; what it throws fails the run. Until it is
     *     told it costs an object for each record of the open transaction
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
     * The rule for records that cannot be written; {@link WriteFailures#fail} unless told. A letter is written in the
     * transaction of its input's offset, by the flow's own producer, whose interceptors and partitioner see it and of
     * which {@link #whenCommitted} tells; of the letters' settings only their topic, group and answer to letters that
     * are too large count. A letter that is refused for another reason fails the run.
     *
     * <p>A refusal aborts the transaction, and its inputs are read again. Then each record that comes of the refused
     * one's input is tried alone in a transaction that is aborted, so that only the refused one is left out. With a
     * rule a record costs a few objects more until it is answered. Once a bounded read has read all, what is aborted is
     * written again by the run itself. A drain of a read without an end leaves the inputs of such a transaction undone.
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
     * Closes the flow with a producer of transactions. The records may go to several topics.
     *
     * <p>Fails the run with {@link ProduceException} when a record cannot be written that no {@linkplain #onFailure
     * rule} is for, and with {@link KafkaPipelineException} when the brokers refuse transactions. An end by itself, a
     * stop or a drain commits what is finished; a failure or a cancellation aborts it.
     *
     * @param producer without {@code transactional.id}, which each run draws for itself from the group's name
     * @param transform what is done with the records, by any operators; called once, now, and must return what it makes
     *     of the source that it is given
     * @throws IllegalArgumentException if the settings do not go with transactions, or dead letters are for other
     *     brokers
     */
    public <A, B> Pipeline produceTo(
            ProducerSettings<A, B> producer,
            Function<? super Source<ConsumerRecord<K, V>>, ? extends Source<ProducerRecord<A, B>>> transform) {
        Objects.requireNonNull(producer, "producer");
        Objects.requireNonNull(transform, "transform");
        TransactionLimits.checkLetters(producer, failures.letters());
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
