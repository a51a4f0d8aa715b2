package dev.weir.kafka.view;

import dev.weir.lean.RecordView;

/**
 * Consecutive records of a partition in the receive buffer: an element of {@link dev.weir.kafka.KafkaSource#views},
 * with one acknowledgement for all of them. Confined to one thread at a time: the stage that holds it owns it and
 * returns its memory by {@link #encode} or {@link #close}. It must not go to two stages at once, as with a broadcast.
 *
 * <pre>{@code
 * try (views) {
 *     while (views.next()) {
 *         sum += views.record().value().getLong(0);
 *     }
 * }
 * }</pre>
 *
 * <p>Views that are dropped without {@link #close} leak nothing: the garbage collector frees their memory later.
 */
public interface RecordViews extends AutoCloseable {

    String topic();

    int partition();

    /** Lower bound of the offsets. */
    long fromOffset();

    /** The offset after all records, which is committed when they are acknowledged. */
    long toOffset();

    /**
     * The number of records as their producers wrote them, at least 0. Compaction, and a start inside a batch, make
     * fewer of them visible.
     */
    int recordCount();

    /** Size in bytes, decompressed. */
    int sizeBytes();

    /**
     * Moves to the next record; returns false after the last.
     *
     * @throws IllegalStateException if closed
     * @throws dev.weir.lean.CorruptBatchException if a producer wrote invalid records
     */
    boolean next();

    /** The current record after {@link #next}: always the same object, valid until the next call. */
    RecordView record();

    /** Moves back to before the first record. */
    void rewind();

    /**
     * Calls the encoder for each record, starting with the first, returns the records it sent, and closes these views.
     * If the encoder throws, the views stay open, so that a stage may try again.
     *
     * @param encoder called on this thread
     * @throws IllegalStateException if closed
     */
    EncodedRecords encode(ViewEncoder encoder);

    /** Returns the memory of these records; they must not be read afterwards. */
    @Override
    void close();
}
