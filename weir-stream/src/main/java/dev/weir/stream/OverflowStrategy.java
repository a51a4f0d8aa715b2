package dev.weir.stream;

/**
 * The action of a full {@link Source#buffer buffer} when another element arrives. A dropped element is acknowledged.
 */
public enum OverflowStrategy {
    /** Makes the upstream stages wait; nothing is dropped. */
    BACKPRESSURE,
    /** Drops the oldest element in the buffer. */
    DROP_HEAD,
    /** Drops the newest element in the buffer. */
    DROP_TAIL,
    /** Drops the arriving element. */
    DROP_NEW,
    /** Drops all elements in the buffer, then adds the arriving element. */
    DROP_BUFFER,
    /**
     * Fails the stream with a {@link BufferFullException} after the buffered elements have been emitted; drops nothing.
     */
    FAIL
}
