package dev.weir.lean;

/** The answer to a batch that cannot be read. Constants. */
public enum CorruptBatchPolicy {

    /** The poll throws a {@link CorruptBatchException}; the partition rests until a seek or a skip. */
    FAIL,

    /** It is left out, counted, and logged with its offset. */
    SKIP
}
