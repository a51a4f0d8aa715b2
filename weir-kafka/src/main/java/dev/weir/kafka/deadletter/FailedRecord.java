package dev.weir.kafka.deadletter;

import dev.weir.kafka.Decoded;
import dev.weir.kafka.spi.OfRecord;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * A consumed record that could not be processed, and the reason. Immutable, except for the byte arrays, which must not
 * be changed.
 *
 * @param raw as consumed
 * @param reason the step that failed
 * @param cause the last exception
 * @param attempts number of handler calls for the record since it was consumed; 0 if it never reached the handler
 * @param retriable whether another attempt later may succeed
 */
public record FailedRecord(
        ConsumerRecord<byte[], byte[]> raw, Reason reason, Throwable cause, int attempts, boolean retriable)
        implements OfRecord {

    /** The step in which a record failed. */
    public enum Reason {
        /** A deserializer refused it. */
        DECODE,
        /** Its handler threw. */
        HANDLER,
        /** Its handler took too long. */
        TIMEOUT,
        /** Its result cannot be written: too large, not serializable, refused by the broker. */
        WRITE,
        /** The record has not failed: it is a copy kept in case a share group's last deliveries are lost. */
        PARKED
    }

    /** Refuses null and a negative number of attempts. */
    public FailedRecord {
        Objects.requireNonNull(raw, "raw");
        Objects.requireNonNull(reason, "reason");
        Objects.requireNonNull(cause, "cause");
        if (attempts < 0) {
            throw new IllegalArgumentException("attempts must not be negative: attempts=" + attempts);
        }
    }

    /** Makes a record that a deserializer refused. */
    public static FailedRecord of(Decoded.Refused<?, ?> refused) {
        Throwable cause = refused.cause().getCause();
        return new FailedRecord(refused.raw(), Reason.DECODE, cause == null ? refused.cause() : cause, 0, false);
    }
}
