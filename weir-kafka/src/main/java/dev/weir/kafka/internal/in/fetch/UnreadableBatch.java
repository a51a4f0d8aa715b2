package dev.weir.kafka.internal.in.fetch;

import dev.weir.lean.BatchTooLargeException;
import dev.weir.lean.PartitionException;
import dev.weir.stream.spi.Thrown;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/**
 * A batch or record too large, corrupt, or compressed with an unknown codec. It is handed out in place of the
 * batch's records, with the first offset. Its value is the batch as stored by the broker, or null if the batch is too
 * large or incomplete. Immutable, except for the contents of the byte array.
 */
public final class UnreadableBatch extends ConsumerRecord<byte[], byte[]> {

    /** Thrown by a poll if the next element of a partition is an unreadable batch. */
    public static final class Found extends KafkaException {

        private static final long serialVersionUID = 1L;

        private final transient UnreadableBatch batch;

        Found(UnreadableBatch batch) {
            super(Thrown.reason(batch.cause), batch.cause);
            this.batch = batch;
        }

        public UnreadableBatch batch() {
            return batch;
        }
    }

    /** A record that may represent an unreadable batch. */
    public interface Holder {

        /** Returns the unreadable batch; null for an ordinary record. */
        @Nullable
        UnreadableBatch unreadable();
    }

    private static final long UNKNOWN = -1;

    private final long nextOffset;
    private final Throwable cause;

    @SuppressWarnings("NullAway") // the superclass allows the key and the value to be null
    private UnreadableBatch(
            TopicPartition id,
            long offset,
            long nextOffset,
            byte @Nullable [] bytes,
            Throwable cause,
            Optional<Short> deliveryCount) {
        super(
                id.topic(),
                id.partition(),
                offset,
                NO_TIMESTAMP,
                TimestampType.NO_TIMESTAMP_TYPE,
                NULL_SIZE,
                bytes == null ? NULL_SIZE : bytes.length,
                null,
                bytes,
                new RecordHeaders(),
                Optional.empty(),
                deliveryCount);
        this.nextOffset = nextOffset;
        this.cause = cause;
    }

    /** Creates the element for a batch that a lean consumer rejected. */
    static UnreadableBatch of(TopicPartition id, long nextOffset, byte @Nullable [] bytes, PartitionException fault) {
        return new UnreadableBatch(
                id, fault.offset(), nextOffset > fault.offset() ? nextOffset : UNKNOWN, bytes, fault, Optional.empty());
    }

    /**
     * Creates the element for a batch delivered by a share group.
     *
     * @param offset the first acquired offset of the batch
     */
    public static UnreadableBatch acquired(
            TopicPartition id, long offset, long nextOffset, byte[] bytes, Throwable cause, short deliveryCount) {
        return new UnreadableBatch(id, offset, nextOffset, bytes, cause, Optional.of(deliveryCount));
    }

    /** Returns the unreadable batch that a record represents, or null for an ordinary record. */
    public static @Nullable UnreadableBatch in(ConsumerRecord<?, ?> record) {
        return switch (record) {
            case UnreadableBatch batch -> batch;
            case Holder holder -> holder.unreadable();
            default -> null;
        };
    }

    /** Returns the base offset in a batch's header; -1 if there is no header. */
    static long baseOffset(byte @Nullable [] bytes) {
        return bytes == null || bytes.length < Long.BYTES
                ? UNKNOWN
                : ByteBuffer.wrap(bytes).getLong(0);
    }

    static UnreadableBatch tooLarge(TopicPartition id, long offset, long sizeBytes, int limitBytes) {
        var cause =
                new BatchTooLargeException(id.topic(), id.partition(), offset, sizeBytes, limitBytes, "maxBatchBytes");
        return new UnreadableBatch(id, offset, offset + 1, null, cause, Optional.empty());
    }

    /**
     * Returns the offset after the batch's last record; -1 if unknown. If the header is damaged, the actual end may be
     * higher.
     */
    public long nextOffset() {
        return nextOffset;
    }

    /** Returns the element that the pipeline receives as a record. */
    public Fetched element() {
        return new Fetched.OfRecord(this, nextOffset);
    }

    /** Returns whether {@link #nextOffset} is known. */
    public boolean hasEnd() {
        return nextOffset != UNKNOWN;
    }

    /** Returns the base offset in the batch's header; -1 if the header is missing. */
    public long baseOffset() {
        return baseOffset(value());
    }

    /** Returns the reason why the batch cannot be read. */
    public Throwable cause() {
        return cause;
    }

    /** Returns whether the bytes are missing, because the batch is too large or incomplete. */
    public boolean isWithoutBytes() {
        return value() == null;
    }
}
