package dev.weir.stream.internal.substream;

/**
 * The life cycle of one of {@link ConcurrentSubstreams}, from building its stages to their end. Immutable; each
 * transition returns the next state.
 *
 * <pre>
 *   STARTING --attached--> RUNNING --lowestClosed--> ENDED
 *      |                      |                        ^
 *      |                      +--close--> CLOSING -----+ lowestClosed
 *      |                                    ^
 *      +--close--> CLOSED_EARLY --attached--+
 *      |                |
 *      +--lowestClosed--+--lowestClosed--> ENDED_EARLY --attached--> ENDED
 * </pre>
 */
enum TributaryState {
    /** Its stages are being built; the starting thread has not attached it yet. */
    STARTING,
    /** Closed while STARTING; the starting thread closes it. */
    CLOSED_EARLY,
    /** Its lowest stage was closed while STARTING. The starting thread closes the rest and concludes it. */
    ENDED_EARLY,
    /** Its segment runs. */
    RUNNING,
    /** Closing: its segment is about to close the lowest stage. */
    CLOSING,
    /** All of its stages are closed, or about to be by the caller of the transition that led here. */
    ENDED;

    /** The starting thread has attached the stream. */
    TributaryState attached() {
        return switch (this) {
            case STARTING -> RUNNING;
            case CLOSED_EARLY -> CLOSING;
            case ENDED_EARLY -> ENDED;
            case RUNNING, CLOSING, ENDED -> throw new IllegalStateException("attached twice: " + this);
        };
    }

    /** The stream's segment has closed its lowest stage. */
    TributaryState lowestClosed() {
        return switch (this) {
            case STARTING, CLOSED_EARLY, ENDED_EARLY -> ENDED_EARLY;
            case RUNNING, CLOSING, ENDED -> ENDED;
        };
    }

    /** Another thread closes the stream. */
    TributaryState close() {
        return switch (this) {
            case STARTING -> CLOSED_EARLY;
            case RUNNING -> CLOSING;
            case CLOSED_EARLY, ENDED_EARLY, CLOSING, ENDED -> this;
        };
    }
}
