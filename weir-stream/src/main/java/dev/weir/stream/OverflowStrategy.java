package dev.weir.stream;

/**
 * The action of a full {@link Source#buffer buffer} when one more element arrives. A dropped element is acknowledged.
 */
public enum OverflowStrategy {
    /** Lets the stages above wait; nothing is dropped. */
    BACKPRESSURE,
    /** Drops the oldest element of the buffer. */
    DROP_HEAD,
    /** Drops the newest element of the buffer. */
    DROP_TAIL,
    /** Drops the new element. */
    DROP_NEW,
    /** Drops the whole buffer, then adds the new element. */
    DROP_BUFFER,
    /** Fails the stream with a {@link BufferFullException}, after the elements in the buffer; drops nothing. */
    FAIL
}
