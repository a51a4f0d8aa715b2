package dev.weir.kafka;

import dev.weir.kafka.internal.out.transaction.TransactionLimits;
import dev.weir.kafka.internal.out.transaction.TransactionalBatches;
import dev.weir.kafka.produce.WriteFailures;
import dev.weir.stream.Sink;
import java.time.Duration;
import java.util.Objects;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * A transactional sink for input from a queue, a file or another Kafka cluster. Consumers with {@code read_committed}
 * see either all records of a transaction or none. Each input is acknowledged after the commit of its record's
 * transaction. Immutable and safe to share.
 *
 * {@snippet :
 * payments.map(payment -> new ProducerRecord<>("booked", payment.account(), payment))
 *         .to(KafkaSink.with(settings).transactional("booking-1").commitRecords(1_000).records())
 *         .run();
 * }
 *
 * <p>After a transient error, the transaction is aborted, and its records are sent again in another one. If a run ends
 * just after a commit, the inputs of the transaction may not be acknowledged yet, and the source may deliver them
 * again. To read and write topics exactly once, use {@link KafkaSource#exactlyOnce}.
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
     * Sets how long a transaction accepts records before it is committed: 1 ms to 10 min, default 100 ms. It must be
     * less than {@code transaction.timeout.ms}, which is 30 s by default.
     */
    public TransactionalSink<K, V> commitInterval(Duration interval) {
        return new TransactionalSink<>(
                settings, transactionalId, Objects.requireNonNull(interval, "interval"), commitRecords, failures);
    }

    /**
     * Sets the number of records after which a transaction is committed early. The records are kept in memory until
     * then. At least 1, default 10,000.
     */
    public TransactionalSink<K, V> commitRecords(int records) {
        return new TransactionalSink<>(settings, transactionalId, commitInterval, records, failures);
    }

    /**
     * Sets the rule for records that cannot be written; the default is {@link WriteFailures#fail}. Such a record is
     * left out of its transaction. If the brokers have already received it, the transaction is aborted and the other
     * records are written again. A dead-letter record is written outside transactions, after the transaction with the
     * earlier records has been committed. The input is acknowledged once the dead-letter record has been written.
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
     * Writes each record. The upstream stage waits during a commit. The run fails with {@link ProduceException} if a
     * record cannot be written and the rule does not cover it. It fails with {@link KafkaPipelineException} if the
     * brokers refuse transactions or another producer takes over the id; the open transaction is then not committed.
     */
    public Sink<ProducerRecord<K, V>> records() {
        return Sink.custom(
                "produce",
                TransactionalBatches.sink(settings, transactionalId, commitInterval, commitRecords, failures));
    }
}
