package dev.weir.stream;

/**
 * An element that user code acknowledges explicitly. The source treats the element as unacknowledged until {@link #ack}
 * is called. Thread-safe. See {@link Source#withClaim}.
 */
public interface Claim<T> {

    /** The element. */
    T value();

    /** Acknowledges the element. Calls after the first do nothing. */
    void ack();
}
