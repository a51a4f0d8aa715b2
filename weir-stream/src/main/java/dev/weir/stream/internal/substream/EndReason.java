package dev.weir.stream.internal.substream;

/**
 * The reason why a stream of {@link ConcurrentSubstreams} ended. It determines whether the parent element, for which
 * the stream was started, is acknowledged.
 */
enum EndReason {
    /** The stream is running, was closed, or failed; the parent stays unacknowledged. */
    NONE,
    /** The stream has completed; the parent is finished. */
    EXHAUSTED,
    /** A newer stream has replaced this one; the parent is finished. */
    REPLACED
}
