package dev.weir.stream.spi;

import java.util.function.BooleanSupplier;

/**
 * Implemented by a handler or function of a parallel stage if its calls may have to wait for something that is no
 * business of the stage, such as a service that is down. The stage calls {@link #enter} and then the function, on one
 * thread, for each attempt. Thread-safe.
 *
 * <p>Nothing has begun as long as a call waits here. So it ends the wait when the source has lost the element:
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
     * @param revoked whether the source has lost the element: asked before each wait, after it, and last of all. Never
     *     true and then false again; quick, and takes no lock
     * @return false if it has; then the work must not begin
     */
    boolean enter(T element, BooleanSupplier revoked) throws InterruptedException;

    /** Returns whether no call ever waits here; then nobody asks. */
    default boolean isAlwaysOpen() {
        return false;
    }

    /** The work on an element that was let in does not begin after all. */
    void leave(T element);

    /** Lets waiting stages ask again. Must not block. */
    void lookAgain();
}
