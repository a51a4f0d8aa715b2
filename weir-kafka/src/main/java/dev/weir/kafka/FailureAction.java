package dev.weir.kafka;

/** The action for a record whose handler failed; see {@link HandledRecords#on}. */
public enum FailureAction {
    /**
     * Calls the handler again as {@link HandledRecords#retry} configures. After that, sends the record to the next
     * retry topic, and finally to the dead-letter topic. If none of these is configured, the pipeline fails.
     */
    RETRY,
    /** Sends the record to the dead-letter topic immediately. If none is configured, the pipeline fails. */
    DEAD_LETTER,
    /** Drops the record: its offset is committed or, in a share group, the record is accepted. */
    SKIP,
    /** Fails the pipeline; the next run receives the record again. */
    FAIL
}
