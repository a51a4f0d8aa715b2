package dev.weir.testkit;

/**
 * An answer, or a loss of one, that brokers may give at any time and rarely do. See {@link FaultProxy#answerRarely}.
 */
public enum RareAnswer {
    /** The answer comes up to half a second late. */
    LATE,
    /** A fetch brings no records, though there are some. */
    EMPTY_FETCH,
    /** A write is done, and its answer says that it timed out. The client sends the batch again. */
    WRITE_TIMED_OUT,
    /** A commit of offsets is done, and its answer says that it timed out. */
    COMMIT_TIMED_OUT,
    /** The group is about to rebalance (classic protocol), or has fenced the member (consumer protocol). */
    REBALANCE,
    /** The transaction cannot be committed, and must be aborted. */
    TRANSACTION_ABORTABLE,
    /** The connection breaks before the answer arrives, whatever the broker did. */
    CONNECTION_LOST
}
