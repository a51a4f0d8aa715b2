package dev.weir.lean;

/** What happens when the log does not have the next offset, or has other records there than those read. Constants. */
public enum OffsetLostPolicy {

    /** The poll throws an {@link OffsetLostException}; the partition rests until a seek. */
    FAIL,

    /**
     * Out of range, or in a topic that was made again: goes on with the first record that the log has. Truncated: goes
     * on where the log differs.
     */
    BEGINNING,

    /**
     * Out of range, or in a topic that was made again: goes on with the record written next. Truncated: goes on where
     * the log differs.
     */
    END
}
