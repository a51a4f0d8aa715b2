package dev.weir.stream;

/**
 * An element that its holder acknowledges by hand: the source does not count it as finished before {@link #ack}.
 * Thread-safe. See {@link Source#withClaim}.
 */
public interface Claim<T> {

    /** The element. */
    T value();

    /** Says that the element is done with. Calls after the first do nothing. */
    void ack();
}
