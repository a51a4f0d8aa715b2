package dev.weir.lean;

/** The reaction when the log does not have the next offset, or has different records before it. Constants. */
public enum OffsetLostPolicy {

    /** The poll throws an {@link OffsetLostException}; the partition stops until a seek. */
    FAIL,

    /**
     * Continues at the first record of the log if the offset is out of range or the topic was recreated, and at the
     * first differing offset if the log was truncated.
     */
    BEGINNING,

    /**
     * Continues at the record written next if the offset is out of range or the topic was recreated, and at the first
     * differing offset if the log was truncated.
     */
    END
}
