package dev.weir.stream.internal.substream;

/**
 * The life cycle of a stream of {@link ConcurrentSubstreams}, from building its stages to their end. Immutable; each
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
    /** The starting thread is building the stream's stages. */
    STARTING,
    /** The stream was closed while STARTING. The starting thread will close it. */
    CLOSED_EARLY,
    /** The last stage was closed while STARTING. The starting thread closes the remaining stages. */
    ENDED_EARLY,
    /** The stream's segment is running. */
    RUNNING,
    /** The stream was closed, and its thread is about to close the last stage. */
    CLOSING,
    /** The stream has ended. Its stages are closed, or the thread that caused this transition is closing them. */
    ENDED;

    /** Returns the state after the starting thread has attached the stream. */
    TributaryState attached() {
        return switch (this) {
            case STARTING -> RUNNING;
            case CLOSED_EARLY -> CLOSING;
            case ENDED_EARLY -> ENDED;
            case RUNNING, CLOSING, ENDED -> throw new IllegalStateException("attached twice: " + this);
        };
    }

    /** Returns the state after the stream's thread has closed its last stage. */
    TributaryState lowestClosed() {
        return switch (this) {
            case STARTING, CLOSED_EARLY, ENDED_EARLY -> ENDED_EARLY;
            case RUNNING, CLOSING, ENDED -> ENDED;
        };
    }

    /** Returns the state after another thread has closed the stream. */
    TributaryState close() {
        return switch (this) {
            case STARTING -> CLOSED_EARLY;
            case RUNNING -> CLOSING;
            case CLOSED_EARLY, ENDED_EARLY, CLOSING, ENDED -> this;
        };
    }
}
