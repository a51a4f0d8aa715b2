package dev.weir.kafka;

/** The acknowledgement of a record whose handler failed; see {@link HandledFlow#on}. */
public enum FailureAction {
    /**
     * The handler is called again as the {@link HandledFlow#retry} says; then the record goes to the first or the next
     * retry topic; then it becomes a dead letter. Without any of these, the pipeline fails.
     */
    RETRY,
    /** The record becomes a dead letter at once; without a dead-letter topic the pipeline fails. */
    DEAD_LETTER,
    /** The record is dropped and committed. */
    SKIP,
    /**
     * The record is rejected: its share group never delivers it again, and does with it what its settings say. Only for
     * {@link SharedFlow}.
     */
    REJECT,
    /** The pipeline fails; the record comes again with the next run. */
    FAIL
}
