package dev.weir.kafka;

/**
 * The way on when the next record to read is not there any more, because retention has deleted it, or not there yet,
 * because the log was truncated, or when the topic was deleted and recreated. A group that has committed nothing is
 * another case: see {@link Subscription#startingAt}.
 */
public enum OutOfRangePolicy {
    /**
     * The run fails with {@link OffsetOutOfRangeException} or {@link RecreatedTopicException}, and nothing is skipped
     * or repeated unnoticed.
     */
    FAIL,
    /** Continues at the beginning: the remaining records are read, perhaps once more. */
    EARLIEST,
    /** Continues at the end: the remaining records are skipped. */
    LATEST,
    /**
     * Continues at the nearest place that means the same: the beginning if records were deleted, the end if the log has
     * become shorter, the offset from which on it is another one if it was truncated. In a recreated topic no offset
     * means the same: its beginning.
     */
    NEAREST
}
