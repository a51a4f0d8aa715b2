package dev.weir.kafka;

/** The action for a record whose handler failed; see {@link HandledFlow#on}. */
public enum FailureAction {
    /**
     * Calls the handler again as configured with {@link HandledFlow#retry}, then sends the record to the first or next
     * retry topic, and finally to the dead-letter topic. If none of these is configured, the pipeline fails.
     */
    RETRY,
    /** Sends the record to the dead-letter topic immediately. If none is configured, the pipeline fails. */
    DEAD_LETTER,
    /** Drops the record and commits its offset. */
    SKIP,
    /**
     * Rejects the record: its share group never delivers it again, and handles it according to the group's
     * configuration. Only for {@link SharedFlow}.
     */
    REJECT,
    /** Fails the pipeline; the next run receives the record again. */
    FAIL
}
