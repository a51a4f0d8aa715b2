package dev.weir.testkit;

/** A rare but legal response from a broker, or the loss of a response. See {@link FaultProxy#answerRarely}. */
public enum RareAnswer {
    /** The response is delayed by up to half a second. */
    LATE,
    /** A fetch returns no records although there are some. */
    EMPTY_FETCH,
    /** A write succeeds, but its response reports a timeout, so the client sends the batch again. */
    WRITE_TIMED_OUT,
    /** An offset commit succeeds, but its response reports a timeout. */
    COMMIT_TIMED_OUT,
    /**
     * A heartbeat response reports that the group is rebalancing (classic protocol) or that the member has been fenced
     * (consumer protocol).
     */
    REBALANCE,
    /** The response reports that the transaction cannot be committed and must be aborted. */
    TRANSACTION_ABORTABLE,
    /** The connection breaks before the response arrives, whether or not the broker has executed the request. */
    CONNECTION_LOST
}
