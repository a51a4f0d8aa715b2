package dev.weir.stream;

/**
 * An element that its holder acknowledges by hand: the source counts it as unfinished until {@link #ack}. Thread-safe.
 * See {@link Source#withClaim}.
 */
public interface Claim<T> {

    /** The element. */
    T value();

    /** Acknowledges the element. Calls after the first do nothing. */
    void ack();
}
