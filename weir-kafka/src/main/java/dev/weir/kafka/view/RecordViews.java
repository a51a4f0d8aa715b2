package dev.weir.kafka.view;

import dev.weir.lean.RecordView;

/**
 * Records of one partition in a row, as they were fetched: an element of {@link dev.weir.kafka.KafkaSource#views},
 * with one acknowledgement for all of them. Confined to one thread at a time: the stage that has it owns it, and
 * gives its memory back by {@link #encode} or {@link #close}. So it must not be handed to two stages at once, as a
 * broadcast does.
 *
 * <pre>{@code
 * try (views) {
 *     while (views.next()) {
 *         sum += views.record().value().getLong(0);
 *     }
 * }
 * }</pre>
 *
 * <p>One that is dropped without being given back costs its memory, which the collector finds later, and nothing else.
 */
public interface RecordViews extends AutoCloseable {

    String topic();

    int partition();

    /** No record here has a lower offset. */
    long fromOffset();

    /** The offset behind all of them: what is committed when they are acknowledged. */
    long toOffset();

    /** As their producers wrote them; compaction, and a start inside a batch, leave fewer to be seen. At least 0. */
    int recordCount();

    /** Size in bytes, decompressed. */
    int sizeBytes();

    /**
     * Goes to the next record; false after the last.
     *
     * @throws IllegalStateException if it was given back
     * @throws dev.weir.lean.CorruptBatchException if a producer wrote records that make no sense
     */
    boolean next();

    /** The record reached by {@link #next}: always the same object, valid until the next one. */
    RecordView record();

    /** Returns to before the first record. */
    void rewind();

    /**
     * Calls the encoder for each record, from the first one on, and returns what it sent; then this is given back. If
     * the encoder throws, it is not, so that a stage may try again.
     *
     * @param encoder called on this thread
     * @throws IllegalStateException if it was given back
     */
    EncodedRecords encode(ViewEncoder encoder);

    /** Gives its memory back; nothing of it may be read afterwards. */
    @Override
    void close();
}
