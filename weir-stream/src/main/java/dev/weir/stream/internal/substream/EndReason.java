package dev.weir.stream.internal.substream;

/**
 * The reason for the end of one of {@link ConcurrentSubstreams}, as far as it decides on its parent's acknowledgement.
 */
enum EndReason {
    /** It is running, was closed, or failed: the parent stays unfinished. */
    NONE,
    /** It has completed: the parent is finished. */
    EXHAUSTED,
    /** A newer stream has replaced it: the parent is finished. */
    REPLACED
}
