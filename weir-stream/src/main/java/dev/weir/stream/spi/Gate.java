package dev.weir.stream.spi;

import java.util.function.BooleanSupplier;

/**
 * Delays calls of a parallel stage's function while something outside the stage is not available, for instance while a
 * service is down. Implemented by the handler or function itself. For each attempt the stage calls {@link #enter} and
 * then the function, both on the same thread. Thread-safe.
 *
 * <p>While a call waits in {@code enter}, work on its element has not begun. The wait therefore ends as soon as the
 * source no longer owns the element:
 *
 * <pre>
 *   caller:  enter, checks whether revoked ............ waits ......... checks again: revoked, enter returns false
 *   source:                                 revoked, then lookAgain ....|
 * </pre>
 */
public interface Gate<T> {

    /**
     * Waits until work on an element may begin.
     *
     * @param revoked returns whether the source no longer owns the element; the gate must call this before each wait,
     *     after each wait, and before it lets the call proceed. Once this has returned true, it keeps returning true.
     *     Fast and lock-free
     * @return false if the source no longer owns the element; work on it must not begin
     */
    boolean enter(T element, BooleanSupplier revoked) throws InterruptedException;

    /** Returns whether calls never wait here. If true, the stage does not use the gate. */
    default boolean isAlwaysOpen() {
        return false;
    }

    /** Called if {@link #enter} returned true for an element, but work on it does not begin. */
    void leave(T element);

    /** Makes waiting calls check again whether their elements were revoked. Must not block. */
    void lookAgain();
}
