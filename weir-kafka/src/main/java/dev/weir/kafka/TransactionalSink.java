package dev.weir.kafka;

import dev.weir.kafka.internal.out.transaction.TransactionLimits;
import dev.weir.kafka.internal.out.transaction.TransactionalBatches;
import dev.weir.kafka.produce.WriteFailures;
import dev.weir.stream.Sink;
import java.time.Duration;
import java.util.Objects;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * A transactional sink for sources other than topics of the same cluster: a queue, a file, another cluster. Readers
 * with {@code read_committed} see all records of a transaction or none, and each input is acknowledged when the
 * transaction with its record is committed. Immutable and free to share.
 *
 * {@snippet :
 * payments.map(payment -> new ProducerRecord<>("booked", payment.account(), payment))
 *         .to(KafkaSink.with(settings).transactional("booking-1").commitRecords(1_000).records())
 *         .run();
 * }
 *
 * <p>A transaction that fails for a transient reason is aborted, and its records are sent again in another one. If the
 * source redelivers inputs that were unacknowledged when a run ended, these include inputs whose transaction was
 * committed just before. To read and write topics exactly once, use {@link KafkaSource#exactlyOnce}.
 */
public final class TransactionalSink<K, V> {

    private static final Duration DEFAULT_INTERVAL = Duration.ofMillis(100);
    private static final int DEFAULT_RECORDS = 10_000;

    private final ProducerSettings<K, V> settings;
    private final String transactionalId;
    private final Duration commitInterval;
    private final int commitRecords;
    private final WriteFailures failures;

    private TransactionalSink(
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

    static <K, V> TransactionalSink<K, V> of(
            ProducerSettings<K, V> settings, String transactionalId, WriteFailures failures) {
        if (Objects.requireNonNull(transactionalId, "transactionalId").isBlank()) {
            throw new IllegalArgumentException("a transactional sink needs a transactionalId that is not blank");
        }
        return new TransactionalSink<>(settings, transactionalId, DEFAULT_INTERVAL, DEFAULT_RECORDS, failures);
    }

    /**
     * Sets how long a transaction takes records before it is committed: 1 ms to 10 min and less than
     * {@code transaction.timeout.ms}, which is 30 s by default; default 100 ms.
     */
    public TransactionalSink<K, V> commitInterval(Duration interval) {
        return new TransactionalSink<>(
                settings, transactionalId, Objects.requireNonNull(interval, "interval"), commitRecords, failures);
    }

    /**
     * Sets the number of records that commits a transaction early; they are kept in memory until then. At least 1,
     * default 10,000.
     */
    public TransactionalSink<K, V> commitRecords(int records) {
        return new TransactionalSink<>(settings, transactionalId, commitInterval, records, failures);
    }

    /**
     * Sets the rule for records that cannot be written, default {@link WriteFailures#fail}. Such a record is left out
     * of its transaction; if brokers have already seen it, the transaction is aborted and the others are written again.
     * A dead-letter record is written outside of transactions, after the transaction with earlier records is committed;
     * then its input is acknowledged.
     */
    public TransactionalSink<K, V> onFailure(WriteFailures newFailures) {
        return new TransactionalSink<>(
                settings,
                transactionalId,
                commitInterval,
                commitRecords,
                Objects.requireNonNull(newFailures, "failures"));
    }

    /**
     * Writes each record. The stage above waits while a transaction is committed. Fails the run with
     * {@link ProduceException} when a record cannot be written and the rule does not cover it, and with
     * {@link KafkaPipelineException} when the brokers refuse transactions or another producer took the
     * id; the open transaction then stays invisible.
     */
    public Sink<ProducerRecord<K, V>> records() {
        return Sink.custom(
                "produce",
                TransactionalBatches.sink(settings, transactionalId, commitInterval, commitRecords, failures));
    }
}
