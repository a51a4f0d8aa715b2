package dev.weir.lean;

/** The reaction to a batch that cannot be read. */
public enum CorruptBatchPolicy {

    /**
     * The poll throws a {@link CorruptBatchException}. The partition delivers nothing more until the caller seeks or
     * skips the batch.
     */
    FAIL,

    /** The consumer skips the batch, counts it, and logs its offset. */
    SKIP
}
