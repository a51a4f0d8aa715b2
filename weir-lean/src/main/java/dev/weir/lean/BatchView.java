package dev.weir.lean;

import org.apache.kafka.common.record.TimestampType;

/**
 * A batch of one partition, as its producer wrote it, with the records that have not been seen yet. Confined to the
 * polling thread; valid during the callback. Records that the callback leaves unread are skipped.
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

    /** The dense number of the partition in its consumer: an index for arrays. */
    int index();

    /** The offset after the batch: where the partition's position goes when the callback returns. */
    long nextOffset();

    /** Size of the batch in bytes, including records skipped as already seen or compacted away. */
    int sizeBytes();

    /** As written by the producer; compaction and a position inside the batch leave fewer to be seen. */
    int recordCount();

    /** The latest timestamp in the batch. */
    long maxTimestamp();

    TimestampType timestampType();

    /** Goes to the next record; false after the last. */
    boolean next();

    /** The record reached by {@link #next}: always the same object. */
    RecordView record();
}
