package dev.weir.stream.internal.substream;

/**
 * Reason why a stream of {@link ConcurrentSubstreams} ended. It determines whether the stream's parent element is
 * acknowledged.
 */
enum EndReason {
    /** The stream is running, was closed, or failed. The parent stays unacknowledged. */
    NONE,
    /** The stream has completed. The parent is finished. */
    EXHAUSTED,
    /** A newer stream has replaced this one. The parent is finished. */
    REPLACED
}
