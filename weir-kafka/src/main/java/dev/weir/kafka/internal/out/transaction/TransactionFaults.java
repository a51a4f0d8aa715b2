package dev.weir.kafka.internal.out.transaction;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.ProduceException;
import dev.weir.kafka.internal.in.commit.OffsetTexts;
import dev.weir.stream.spi.Thrown;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.InvalidTxnTimeoutException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.jspecify.annotations.Nullable;

/** Decides what a transaction's failure means for the run. Stateless. */
final class TransactionFaults {

    private TransactionFaults() {}

    /**
     * Returns the failure that ends the run because repeating the work would not help, or null.
     *
     * @param topic the topic of a rejected record, or empty
     * @param input the origin of that record's input, or empty
     */
    static @Nullable KafkaPipelineException fatal(Throwable failure, String topic, String input) {
        for (Throwable cause : Thrown.causes(failure)) {
            if (cause instanceof KafkaPipelineException known) {
                return known;
            }
            if (cause instanceof RecordTooLargeException
                    || cause instanceof RecordBatchTooLargeException
                    || cause instanceof InvalidTopicException
                    || cause instanceof SerializationException
                    || cause instanceof InvalidRecordException
                    || cause instanceof InvalidTimestampException
                    || cause instanceof UnknownTopicOrPartitionException
                    || (cause instanceof AuthorizationException && !topic.isEmpty())) {
                return new ProduceException(topic, input, cause);
            }
            if (cause instanceof AuthorizationException
                    || cause instanceof AuthenticationException
                    || cause instanceof UnsupportedVersionException
                    || cause instanceof InvalidTxnTimeoutException
                    || cause instanceof FencedInstanceIdException) {
                return new KafkaPipelineException("transactions are refused: " + OffsetTexts.messageOf(cause), failure);
            }
        }
        return null;
    }

    /**
     * Returns the failure for a transaction that has waited too long for the unfinished inputs of its records.
     *
     * @param places the origins of these inputs
     */
    static KafkaPipelineException stuck(String places, TransactionPlan plan) {
        return new KafkaPipelineException("a transaction cannot be ended: "
                + TimeUnit.NANOSECONDS.toMillis(plan.patienceNanos()) + " ms after it was due, records of " + places
                + " are in it and these inputs may have more. Operators that hold an input for long do not go with"
                + " exactly-once: sliding with an overlap, zipLatest, grouped without a time, sections that are"
                + " restarted, an end within the outputs of one input (mapConcat(...).take(n)). If a handler needs that"
                + " long, raise transaction.timeout.ms=" + TimeUnit.NANOSECONDS.toMillis(plan.timeoutNanos()));
    }

    /**
     * Returns the failure for finished offsets that had too many gaps for too long.
     *
     * @param places the origins of the first unfinished inputs
     */
    static KafkaPipelineException scattered(String places, TransactionPlan plan) {
        return new KafkaPipelineException("a transaction cannot be ended: "
                + TimeUnit.NANOSECONDS.toMillis(plan.patienceNanos()) + " ms after it was due, " + places
                + " are not finished, and what is finished behind them has too many gaps for the metadata of a commit."
                + " Raise commitMetadataChars, up to what the brokers take (offset.metadata.max.bytes), or have fewer"
                + " records in progress at once. If a handler needs that long, raise transaction.timeout.ms="
                + TimeUnit.NANOSECONDS.toMillis(plan.timeoutNanos()));
    }

    /** Returns the failure of a run that has no usable producer left after {@code failure}. */
    static Throwable ofRun(Throwable failure) {
        return failure instanceof KafkaException ofClient
                ? ofClient(ofClient)
                : Objects.requireNonNullElse(fatal(failure, "", ""), failure);
    }

    /** Returns the failure of a run that has no usable producer left after a client's failure. */
    static KafkaPipelineException ofClient(KafkaException failure) {
        KafkaPipelineException known = fatal(failure, "", "");
        return known == null
                ? new KafkaPipelineException("transactions cannot continue: " + OffsetTexts.messageOf(failure), failure)
                : known;
    }

    /** Returns whether another attempt may succeed after a coordinator refused a transactional id. */
    static boolean passes(Throwable refusal) {
        for (Throwable cause : Thrown.causes(refusal)) {
            if (cause instanceof RetriableException) {
                return true;
            }
        }
        // Only this run uses the id. If the id was fenced, another group member wrongly assumed that this run is dead.
        return isFenced(refusal);
    }

    /**
     * Returns whether another producer has taken the id, or the coordinator has aborted the transaction at its timeout.
     */
    static boolean isFenced(Throwable failure) {
        for (Throwable cause : Thrown.causes(failure)) {
            if (cause instanceof ProducerFencedException || cause instanceof InvalidProducerEpochException) {
                return true;
            }
        }
        return false;
    }
}
