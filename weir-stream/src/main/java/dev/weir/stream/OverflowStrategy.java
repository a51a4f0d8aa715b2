package dev.weir.stream;

/** What a full {@link Source#buffer buffer} does with one more element. Whatever is dropped is acknowledged. */
public enum OverflowStrategy {
    /** Lets what is above wait; nothing is dropped. */
    BACKPRESSURE,
    /** Drops the oldest element of the buffer. */
    DROP_HEAD,
    /** Drops the youngest element of the buffer. */
    DROP_TAIL,
    /** Drops the new element. */
    DROP_NEW,
    /** Drops all of the buffer, then takes in the new element. */
    DROP_BUFFER,
    /** Fails the stream with a {@link BufferFullException}, behind what is in the buffer; drops nothing. */
    FAIL
}
