package dev.weir.kafka.view;

import dev.weir.lean.RecordView;

/**
 * Consecutive records of a partition in the receive buffer, with one acknowledgement for all of them: an element of
 * {@link dev.weir.kafka.KafkaSource#views}. Confined to one thread at a time. The views belong to the stage that is
 * processing them, which releases their memory by calling {@link #encode} or {@link #close}. They must not go to two
 * stages at the same time, for example through a broadcast.
 *
 * <pre>{@code
 * try (views) {
 *     while (views.next()) {
 *         sum += views.record().value().getLong(0);
 *     }
 * }
 * }</pre>
 *
 * <p>Views that are dropped without a call to {@link #close} do not leak memory: the garbage collector frees it later.
 */
public interface RecordViews extends AutoCloseable {

    String topic();

    int partition();

    /** Returns a lower bound for the offsets of the records. */
    long fromOffset();

    /** Returns the offset after the last record, which is committed when the records are acknowledged. */
    long toOffset();

    /**
     * Returns the number of records written by the producers, which may be 0. Fewer records are visible if the topic
     * was compacted, or if reading started inside a batch.
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

    /**
     * Returns the current record after a call of {@link #next}. Always returns the same object, which is valid until
     * the next call.
     */
    RecordView record();

    /** Moves back to the position before the first record. */
    void rewind();

    /**
     * Calls the encoder for each record, starting with the first. Then closes these views and returns the encoded
     * records. If the encoder throws, the views remain open, so that a stage may try again.
     *
     * @param encoder called on this thread
     * @throws IllegalStateException if these views are closed
     */
    EncodedRecords encode(ViewEncoder encoder);

    /** Releases the memory of these records, which must not be read afterwards. */
    @Override
    void close();
}
