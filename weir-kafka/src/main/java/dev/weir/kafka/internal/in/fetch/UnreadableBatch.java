package dev.weir.kafka.internal.in.fetch;

import dev.weir.lean.BatchTooLargeException;
import dev.weir.lean.PartitionException;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/**
 * A batch, or a record, that cannot be read: too large, corrupt, or of an unknown codec. It takes the place of its
 * records, at the first of their offsets, and its value is the batch as stored by the broker. Immutable, except for the
 * bytes.
 */
public final class UnreadableBatch extends ConsumerRecord<byte[], byte[]> {

    /** Thrown by a poll when the next element of a partition is such a batch. */
    public static final class Found extends KafkaException {

        private static final long serialVersionUID = 1L;

        private final transient UnreadableBatch batch;

        Found(UnreadableBatch batch) {
            super(batch.cause.getMessage(), batch.cause);
            this.batch = batch;
        }

        public UnreadableBatch batch() {
            return batch;
        }
    }

    /** A record that may represent such a batch. */
    public interface Holder {

        /** The batch, or null for an ordinary record. */
        @Nullable
        UnreadableBatch unreadable();
    }

    /** Stands for an unknown offset. */
    private static final long UNKNOWN = -1;

    private final long nextOffset;
    private final Throwable cause;

    @SuppressWarnings("NullAway") // a record without a value has null there
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

    /** A batch refused by a lean consumer. */
    static UnreadableBatch of(TopicPartition id, long nextOffset, byte @Nullable [] bytes, PartitionException fault) {
        return new UnreadableBatch(
                id, fault.offset(), nextOffset > fault.offset() ? nextOffset : UNKNOWN, bytes, fault, Optional.empty());
    }

    /**
     * A batch delivered by a share group.
     *
     * @param offset the first acquired offset of the batch
     */
    public static UnreadableBatch acquired(
            TopicPartition id, long offset, long nextOffset, byte[] bytes, Throwable cause, short deliveryCount) {
        return new UnreadableBatch(id, offset, nextOffset, bytes, cause, Optional.of(deliveryCount));
    }

    /** The batch that a record represents, or null for an ordinary record. */
    public static @Nullable UnreadableBatch in(ConsumerRecord<?, ?> record) {
        return switch (record) {
            case UnreadableBatch batch -> batch;
            case Holder holder -> holder.unreadable();
            default -> null;
        };
    }

    /** The base offset in a batch's header, or -1 without a header. */
    static long baseOffset(byte @Nullable [] bytes) {
        return bytes == null || bytes.length < Long.BYTES
                ? UNKNOWN
                : ByteBuffer.wrap(bytes).getLong(0);
    }

    /** A record that exceeds the size limit. */
    static UnreadableBatch tooLarge(TopicPartition id, long offset, long sizeBytes, int limitBytes) {
        var cause =
                new BatchTooLargeException(id.topic(), id.partition(), offset, sizeBytes, limitBytes, "maxBatchBytes");
        return new UnreadableBatch(id, offset, offset + 1, null, cause, Optional.empty());
    }

    /** The offset after its last record; if the header is damaged, after the last known record. */
    public long nextOffset() {
        return nextOffset;
    }

    /** Returns whether {@link #nextOffset} is known. */
    public boolean hasEnd() {
        return nextOffset != UNKNOWN;
    }

    /** The base offset in its header, or -1 if the header is missing. */
    public long baseOffset() {
        return baseOffset(value());
    }

    /** The reason why it cannot be read. */
    public Throwable cause() {
        return cause;
    }

    /** Returns whether the value is missing because the batch is larger than the bytes received. */
    public boolean isWithoutBytes() {
        return value() == null;
    }
}
