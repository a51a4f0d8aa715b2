package dev.weir.stream;

/** The answer of a full {@link Source#buffer buffer} to one more element. A dropped element is acknowledged. */
public enum OverflowStrategy {
    /** Lets the stages above wait; nothing is dropped. */
    BACKPRESSURE,
    /** Drops the oldest element of the buffer. */
    DROP_HEAD,
    /** Drops the youngest element of the buffer. */
    DROP_TAIL,
    /** Drops the new element. */
    DROP_NEW,
    /** Drops all of the buffer, then takes in the new element. */
    DROP_BUFFER,
    /** Fails the stream with a {@link BufferFullException}, after the elements in the buffer; drops nothing. */
    FAIL
}
