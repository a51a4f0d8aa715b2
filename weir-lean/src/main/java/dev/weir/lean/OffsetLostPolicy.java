package dev.weir.lean;

/**
 * The reaction to a lost position. A position is lost if the log does not contain the next offset, or if earlier
 * records in the log differ from the records that were read.
 */
public enum OffsetLostPolicy {

    /** The poll throws an {@link OffsetLostException}. The partition delivers nothing more until the caller seeks. */
    FAIL,

    /**
     * Continues at the first record of the log if the offset is out of range or the topic was recreated. If the log was
     * truncated, continues at the first offset at which it differs from the records that were read.
     */
    BEGINNING,

    /**
     * Continues with the next record to be written if the offset is out of range or the topic was recreated. If the log
     * was truncated, continues at the first offset at which it differs from the records that were read.
     */
    END
}
