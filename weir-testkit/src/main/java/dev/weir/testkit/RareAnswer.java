package dev.weir.testkit;

/** A rare but legal answer of a broker, or the loss of one. See {@link FaultProxy#answerRarely}. */
public enum RareAnswer {
    /** The answer comes up to half a second late. */
    LATE,
    /** A fetch returns no records although there are some. */
    EMPTY_FETCH,
    /** A write succeeds, but its answer reports a timeout. The client sends the batch again. */
    WRITE_TIMED_OUT,
    /** An offset commit succeeds, but its answer reports a timeout. */
    COMMIT_TIMED_OUT,
    /** The group is about to rebalance (classic protocol), or has fenced the member (consumer protocol). */
    REBALANCE,
    /** The transaction cannot be committed, and must be aborted. */
    TRANSACTION_ABORTABLE,
    /** The connection breaks before the answer arrives, whatever the broker did. */
    CONNECTION_LOST
}
