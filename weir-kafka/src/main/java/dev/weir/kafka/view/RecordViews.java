package dev.weir.kafka.view;

import dev.weir.lean.RecordView;

/**
 * Consecutive records of a partition in the receive buffer, with one acknowledgement for all of them: an element of
 * {@link dev.weir.kafka.KafkaSource#views}. Used by one thread at a time. The views belong to the stage that is
 * processing them. This stage releases their memory with {@link #encode} or {@link #close}. The views must not go to
 * two stages at the same time, for example through a broadcast.
 *
 * <pre>{@code
 * try (views) {
 *     while (views.next()) {
 *         sum += views.record().value().getLong(0);
 *     }
 * }
 * }</pre>
 *
 * <p>The garbage collector frees the memory of views that are dropped without a call to {@link #close}.
 */
public interface RecordViews extends AutoCloseable {

    String topic();

    int partition();

    /** Returns an offset at or before the first record. */
    long fromOffset();

    /** Returns the offset after the last record. It is committed when the records are acknowledged. */
    long toOffset();

    /**
     * Returns the number of records written by the producers, which may be 0. Fewer records are visible after
     * compaction, or if reading started inside a batch.
     */
    int recordCount();

    /** Returns the decompressed size in bytes. */
    int sizeBytes();

    /**
     * Moves to the next record. Returns false after the last one.
     *
     * @throws IllegalStateException if these views are closed
     * @throws dev.weir.lean.CorruptBatchException if a producer wrote invalid records
     */
    boolean next();

    /** Returns the current record, valid until the next call of {@link #next}. Always returns the same object. */
    RecordView record();

    /** Moves back to the position before the first record. */
    void rewind();

    /**
     * Calls the encoder for each record, starting with the first. Then closes these views and returns the encoded
     * records. If the encoder throws, the views remain open for another attempt.
     *
     * @param encoder called on this thread
     * @throws IllegalStateException if these views are closed
     */
    EncodedRecords encode(ViewEncoder encoder);

    /** Releases the memory of these records, which must not be read afterwards. */
    @Override
    void close();
}
