package dev.weir.stream.internal.substream;

/** Why one of {@link Tributaries} ends, as far as that decides on its parent's claim. */
enum EndReason {
    /** It goes on, was closed, or failed: the parent is left unfinished. */
    NONE,
    /** It has come to its own end: the parent is finished. */
    EXHAUSTED,
    /** A newer stream takes its place: the parent is finished. */
    REPLACED
}
