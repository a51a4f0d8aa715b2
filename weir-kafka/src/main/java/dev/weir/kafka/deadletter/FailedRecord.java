package dev.weir.kafka.deadletter;

import dev.weir.kafka.Decoded;
import dev.weir.kafka.spi.OfRecord;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * A consumed record that could not be processed, with the reason. Immutable, except for the byte arrays, which must not
 * be modified.
 *
 * @param raw the record before decoding
 * @param reason the step that failed
 * @param cause the last exception
 * @param attempts the number of handler calls since the record was consumed
 * @param retriable whether a later attempt may succeed
 */
public record FailedRecord(
        ConsumerRecord<byte[], byte[]> raw, Reason reason, Throwable cause, int attempts, boolean retriable)
        implements OfRecord {

    /** The step in which a record failed. */
    public enum Reason {
        /** A deserializer rejected the record. */
        DECODE,
        /** The handler threw an exception. */
        HANDLER,
        /** The handler exceeded its timeout. */
        TIMEOUT,
        /** The result was too large, not serializable, or rejected by the broker. */
        WRITE,
        /**
         * The record has not failed. The dead-letter record is a precaution, because a crash during the last delivery
         * would lose the record.
         */
        PARKED
    }

    /** Rejects null arguments and negative attempts. */
    public FailedRecord {
        Objects.requireNonNull(raw, "raw");
        Objects.requireNonNull(reason, "reason");
        Objects.requireNonNull(cause, "cause");
        if (attempts < 0) {
            throw new IllegalArgumentException("attempts must not be negative: attempts=" + attempts);
        }
    }

    /** Creates the failed record for a record rejected by a deserializer. */
    public static FailedRecord of(Decoded.Refused<?, ?> refused) {
        Throwable cause = refused.cause().getCause();
        return new FailedRecord(refused.raw(), Reason.DECODE, cause == null ? refused.cause() : cause, 0, false);
    }
}
