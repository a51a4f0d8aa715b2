package dev.weir.stream.spi;

import java.util.function.BooleanSupplier;

/**
 * Implemented by a handler or function of a parallel stage whose calls may have to wait for something outside the
 * stage, such as a service that is down. For each attempt the stage calls {@link #enter} and then the function, on one
 * thread. Thread-safe.
 *
 * <p>No work has begun while a call waits here, so the wait ends if the source loses the element:
 *
 * <pre>
 *   caller:  enter, looks whether revoked ............. waits ......... looks again: revoked, enter says false
 *   source:                                 revoked, then lookAgain ....|
 * </pre>
 */
public interface Gate<T> {

    /**
     * Waits until the work on an element may begin.
     *
     * @param revoked whether the source has lost the element; checked before each wait, after it, and at the end. Once
     *     true, it stays true; quick and lock-free
     * @return false if the element was lost; then the work must not begin
     */
    boolean enter(T element, BooleanSupplier revoked) throws InterruptedException;

    /** Returns whether calls never wait here; the stage then skips the gate. */
    default boolean isAlwaysOpen() {
        return false;
    }

    /** Notes that the work on an admitted element does not begin after all. */
    void leave(T element);

    /** Makes waiting calls check again. Must not block. */
    void lookAgain();
}
