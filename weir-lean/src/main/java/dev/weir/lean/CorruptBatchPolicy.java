package dev.weir.lean;

/** The reaction to a batch that cannot be read. Constants. */
public enum CorruptBatchPolicy {

    /** The poll throws a {@link CorruptBatchException}; the partition stops until a seek or a skip. */
    FAIL,

    /** The batch is skipped, counted, and logged with its offset. */
    SKIP
}
