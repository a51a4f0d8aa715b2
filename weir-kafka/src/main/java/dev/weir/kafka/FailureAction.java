package dev.weir.kafka;

/** The treatment of a record whose handler failed; see {@link HandledFlow#on}. */
public enum FailureAction {
    /**
     * Calls the handler again as {@link HandledFlow#retry} says, then sends the record to the first or next retry
     * topic, then to the dead-letter topic. Without any of these, the pipeline fails.
     */
    RETRY,
    /** Sends the record to the dead-letter topic at once; without such a topic the pipeline fails. */
    DEAD_LETTER,
    /** Drops the record and commits it. */
    SKIP,
    /**
     * Rejects the record: its share group never delivers it again and treats it as the group's settings say. Only for
     * {@link SharedFlow}.
     */
    REJECT,
    /** Fails the pipeline; the next run receives the record again. */
    FAIL
}
