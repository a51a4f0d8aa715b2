package dev.weir.lean;

import org.apache.kafka.common.record.TimestampType;

/**
 * A batch of one partition, as its producer wrote it, with the records not delivered yet. Confined to the polling
 * thread; valid during the callback. Records that the callback leaves unread are skipped.
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

    /** The partition's index in its consumer: a dense number, usable as an array index. */
    int index();

    /** The offset after the batch, which becomes the partition's position when the callback returns. */
    long nextOffset();

    /** The size of the batch in bytes, including records already delivered or compacted away. */
    int sizeBytes();

    /** The record count as written by the producer. Compaction, and a position inside the batch, make fewer visible. */
    int recordCount();

    /** The latest timestamp in the batch. */
    long maxTimestamp();

    TimestampType timestampType();

    /** Moves to the next record; returns false after the last. */
    boolean next();

    /** The current record after {@link #next}: always the same object. */
    RecordView record();
}
