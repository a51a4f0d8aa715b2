package dev.weir.stream.internal.substream;

/** The reason for the end of one of {@link ConcurrentSubstreams}, as far as it decides on its parent's claim. */
enum EndReason {
    /** It goes on, was closed, or failed: the parent is left unfinished. */
    NONE,
    /** It has come to its own end: the parent is finished. */
    EXHAUSTED,
    /** A newer stream takes its place: the parent is finished. */
    REPLACED
}
