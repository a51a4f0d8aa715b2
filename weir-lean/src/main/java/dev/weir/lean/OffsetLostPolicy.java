package dev.weir.lean;

/**
 * The reaction to a lost position: the log does not contain the next offset, or contains different records before it.
 */
public enum OffsetLostPolicy {

    /** The poll throws an {@link OffsetLostException}. The partition delivers nothing more until the caller seeks. */
    FAIL,

    /**
     * Continues at the first record of the log if the offset is out of range or the topic was recreated. If the log was
     * truncated, continues at the first offset whose record differs.
     */
    BEGINNING,

    /**
     * Continues with the next record to be written if the offset is out of range or the topic was recreated. If the log
     * was truncated, continues at the first offset whose record differs.
     */
    END
}
