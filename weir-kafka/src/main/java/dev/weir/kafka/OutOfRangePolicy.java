package dev.weir.kafka;

/**
 * The reaction when the next record to read no longer exists (retention deleted it), does not exist yet (the log was
 * truncated), or belonged to a topic that was deleted and recreated. It does not apply to a group without committed
 * offsets: see {@link Subscription#startingAt}.
 */
public enum OutOfRangePolicy {
    /**
     * The run fails with {@link OffsetOutOfRangeException} or {@link RecreatedTopicException}; nothing is skipped or
     * repeated silently.
     */
    FAIL,
    /** Continues at the beginning: reads the remaining records, some perhaps a second time. */
    EARLIEST,
    /** Continues at the end: skips the remaining records. */
    LATEST,
    /**
     * Continues at the nearest equivalent position: the beginning if records were deleted, the end if the log became
     * shorter, the first differing offset if the log was truncated and rewritten. A recreated topic has no equivalent
     * and is read from its beginning.
     */
    NEAREST
}
