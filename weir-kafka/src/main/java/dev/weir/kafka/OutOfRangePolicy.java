package dev.weir.kafka;

/**
 * Determines where a consumer continues if the next record was deleted by retention, does not exist yet because the log
 * was truncated, or belongs to a recreated topic. Does not apply to a group without committed offsets; see
 * {@link Subscription#startingAt}.
 */
public enum OutOfRangePolicy {
    /**
     * Fails the run with {@link OffsetOutOfRangeException} or {@link RecreatedTopicException}. Nothing is skipped or
     * repeated silently.
     */
    FAIL,
    /** Continues at the beginning. Some of the remaining records may be read for a second time. */
    EARLIEST,
    /** Continues at the end: skips the remaining records. */
    LATEST,
    /**
     * Continues at the nearest equivalent position: at the beginning if records were deleted, at the end if the log
     * became shorter, or at the first different offset if the log was truncated and rewritten. A recreated topic is
     * read from the beginning.
     */
    NEAREST
}
