package dev.weir.lean;

import org.apache.kafka.common.record.TimestampType;

/**
 * A view of one partition's batch, as written by its producer. It contains only records that have not been delivered
 * yet. Confined to the polling thread; valid during the callback. Records that the callback does not read are skipped.
 *
 * <pre>{@code
 * while (batch.next()) {
 *     sum += batch.record().value().getLong(0);
 * }
 * }</pre>
 */
public interface BatchView {

    String topic();

    int partition();

    /** The partition's index in its consumer: a small dense number that can be used as an array index. */
    int index();

    /**
     * The offset after the last offset of the batch. The partition's position moves there when the callback returns.
     */
    long nextOffset();

    /** The size of the batch in bytes, including records that were already delivered or were compacted away. */
    int sizeBytes();

    /**
     * The number of records that the producer wrote. Fewer are visible if the topic was compacted or the partition's
     * position is inside the batch.
     */
    int recordCount();

    /** The latest timestamp in the batch. */
    long maxTimestamp();

    TimestampType timestampType();

    /** Moves to the next record. Returns false if there is none. */
    boolean next();

    /** The current record, valid after {@link #next} has returned true. Every call returns the same object. */
    RecordView record();
}
