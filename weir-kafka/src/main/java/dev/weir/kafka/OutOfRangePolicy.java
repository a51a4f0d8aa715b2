package dev.weir.kafka;

/**
 * The policy that applies if the next record to read was deleted by retention, does not exist yet because the log was
 * truncated, or belongs to a topic that was deleted and recreated. The policy does not apply to a group without
 * committed offsets; see {@link Subscription#startingAt}.
 */
public enum OutOfRangePolicy {
    /**
     * Fails the run with {@link OffsetOutOfRangeException} or {@link RecreatedTopicException}. Nothing is skipped or
     * repeated silently.
     */
    FAIL,
    /** Continues at the beginning: reads the remaining records, possibly some for a second time. */
    EARLIEST,
    /** Continues at the end: skips the remaining records. */
    LATEST,
    /**
     * Continues at the nearest equivalent position: at the beginning if records were deleted, at the end if the log
     * became shorter, or at the first offset that differs if the log was truncated and rewritten. A recreated topic has
     * no equivalent position and is read from the beginning.
     */
    NEAREST
}
