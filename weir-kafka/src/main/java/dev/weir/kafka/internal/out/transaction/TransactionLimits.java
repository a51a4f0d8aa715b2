package dev.weir.kafka.internal.out.transaction;

import dev.weir.kafka.ProducePath;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.deadletter.DeadLetterTopic;
import java.time.Duration;
import java.util.Objects;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.jspecify.annotations.Nullable;

/** Refuses settings that do not work with transactions. Stateless. */
public final class TransactionLimits {

    private static final Duration MIN_INTERVAL = Duration.ofMillis(1);
    private static final Duration MAX_INTERVAL = Duration.ofMinutes(10);

    private TransactionLimits() {}

    public static void check(ProducerSettings<?, ?> producer, Duration commitInterval, int commitRecords) {
        checkInterval(commitInterval);
        checkRecords(commitRecords);
        var ignored = timeout(producer, commitInterval);
    }

    /**
     * Refuses a commit interval that is too short or too long. A transaction normally accepts records for this time.
     */
    public static void checkInterval(Duration interval) {
        if (interval.compareTo(MIN_INTERVAL) < 0 || interval.compareTo(MAX_INTERVAL) > 0) {
            throw new IllegalArgumentException(
                    "commitInterval must be " + MIN_INTERVAL + " to " + MAX_INTERVAL + ": commitInterval=" + interval);
        }
    }

    public static void checkRecords(int records) {
        if (records < 1) {
            throw new IllegalArgumentException("commitRecords must be at least 1: commitRecords=" + records);
        }
    }

    /**
     * Refuses a dead-letter topic in another cluster, because the flow's producer writes dead-letter records in its
     * transactions.
     */
    public static void checkDeadLetterTopic(
            ProducerSettings<?, ?> producer, @Nullable DeadLetterTopic deadLetterTopic) {
        String brokers = producer.properties().get(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG);
        String others = deadLetterTopic == null
                ? brokers
                : deadLetterTopic.settings().properties().get(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG);
        if (!Objects.equals(brokers, others)) {
            throw new IllegalArgumentException(
                    "dead-letter records of an exactly-once flow are written in its transactions, so on"
                            + " the cluster of its producer: bootstrap.servers=" + others
                            + " of the dead-letter topic must be "
                            + brokers);
        }
    }

    /**
     * Returns the time after which brokers abort a transaction of the producer. Refuses a commit interval that is not
     * shorter.
     */
    public static Duration timeout(ProducerSettings<?, ?> producer, Duration commitInterval) {
        if (producer.produce() == ProducePath.LEAN) {
            throw new IllegalArgumentException("produce=LEAN does not go with exactly once, as a lean producer knows"
                    + " no transactions; set produce(ProducePath.CLIENT), or use KafkaSource.atLeastOnce");
        }
        if ("false".equalsIgnoreCase(producer.properties().get(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG))) {
            throw new IllegalArgumentException("enable.idempotence=false does not go with transactions; leave it out");
        }
        String timeout = producer.properties().get(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG);
        long timeoutMillis = timeout == null
                ? TransactionPlan.TIMEOUT_MILLIS
                : (Integer) ConfigDef.parseType(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, timeout, ConfigDef.Type.INT);
        if (commitInterval.toMillis() >= timeoutMillis) {
            throw new IllegalArgumentException("commitInterval=" + commitInterval
                    + " must be less than transaction.timeout.ms=" + timeoutMillis
                    + ", after which the brokers abort a transaction; raise that, or commit more often");
        }
        return Duration.ofMillis(timeoutMillis);
    }
}
