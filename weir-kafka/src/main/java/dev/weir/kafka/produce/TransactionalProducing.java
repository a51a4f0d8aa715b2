package dev.weir.kafka.produce;

import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.internal.out.transaction.TransactionLimits;
import dev.weir.kafka.internal.out.transaction.TransactionalBatches;
import dev.weir.stream.Sink;
import java.time.Duration;
import java.util.Objects;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * A sink that writes in transactions, for sources that are not topics of the same cluster: a queue, a file, another
 * cluster. What a transaction holds is seen as a whole or not at all by readers with {@code read_committed}, and each
 * input is acknowledged when the transaction with its record is committed. Immutable and free to share.
 *
 * {@snippet :
 * payments.map(payment -> new ProducerRecord<>("booked", payment.account(), payment))
 *         .to(TransactionalProducing.with(settings, "booking-1").commitRecords(1_000).records())
 *         .run();
 * }
 *
 * <p>A transaction that fails for a reason that passes is aborted and its records are sent again in another one. Inputs
 * that were not acknowledged when a run ended come again with the next one if the source says so, also those whose
 * transaction was committed just before: to read topics and write topics exactly once is what
 * {@link dev.weir.kafka.KafkaSource#exactlyOnce} is for.
 */
public final class TransactionalProducing<K, V> {

    private static final Duration DEFAULT_INTERVAL = Duration.ofMillis(100);
    private static final int DEFAULT_RECORDS = 10_000;

    private final ProducerSettings<K, V> settings;
    private final String transactionalId;
    private final Duration commitInterval;
    private final int commitRecords;
    private final WriteFailures failures;

    private TransactionalProducing(
            ProducerSettings<K, V> settings,
            String transactionalId,
            Duration commitInterval,
            int commitRecords,
            WriteFailures failures) {
        this.settings = settings;
        this.transactionalId = transactionalId;
        this.commitInterval = commitInterval;
        this.commitRecords = commitRecords;
        this.failures = failures;
        TransactionLimits.check(settings, commitInterval, commitRecords);
    }

    /**
     * Writes under a transactional id, of which the brokers let one producer at a time write: a run that begins ends
     * the open transaction of the one before, which fails if it is still there.
     *
     * @throws IllegalArgumentException if the settings do not go with transactions, or the id is blank
     */
    public static <K, V> TransactionalProducing<K, V> with(ProducerSettings<K, V> settings, String transactionalId) {
        if (Objects.requireNonNull(transactionalId, "transactionalId").isBlank()) {
            throw new IllegalArgumentException("a transactional sink needs a transactionalId that is not blank");
        }
        return new TransactionalProducing<>(
                Objects.requireNonNull(settings, "settings"),
                transactionalId,
                DEFAULT_INTERVAL,
                DEFAULT_RECORDS,
                WriteFailures.fail());
    }

    /**
     * Sets the time a transaction takes records before it is committed: 1 ms to 10 min and less than {@code
     * transaction.timeout.ms}, which is 30 s by default; default 100 ms.
     */
    public TransactionalProducing<K, V> commitInterval(Duration interval) {
        return new TransactionalProducing<>(
                settings, transactionalId, Objects.requireNonNull(interval, "interval"), commitRecords, failures);
    }

    /**
     * Sets the number of records at which a transaction is committed before its time; they are kept until then. At
     * least 1, default 10,000.
     */
    public TransactionalProducing<K, V> commitRecords(int records) {
        return new TransactionalProducing<>(settings, transactionalId, commitInterval, records, failures);
    }

    /**
     * The rule for records that cannot be written; {@link WriteFailures#fail} unless told. Those are left out of their
     * transaction, which is aborted for that and written again if the brokers have seen it. A letter is written outside
     * of transactions, once the one with the records before it is committed, and then its input is acknowledged.
     */
    public TransactionalProducing<K, V> onFailure(WriteFailures newFailures) {
        return new TransactionalProducing<>(
                settings,
                transactionalId,
                commitInterval,
                commitRecords,
                Objects.requireNonNull(newFailures, "failures"));
    }

    /**
     * Writes each record. The stage above waits while a transaction is committed. Fails the run with {@link
     * dev.weir.kafka.ProduceException} when a record cannot be written that the rule is not for, and with {@link
     * dev.weir.kafka.KafkaPipelineException} when the brokers refuse transactions or another producer took the id;
     * nothing of the open transaction is seen then.
     */
    public Sink<ProducerRecord<K, V>> records() {
        return Sink.custom(
                "produce",
                TransactionalBatches.sink(settings, transactionalId, commitInterval, commitRecords, failures));
    }
}
