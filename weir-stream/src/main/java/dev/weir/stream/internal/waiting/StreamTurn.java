package dev.weir.stream.internal.waiting;

import org.jspecify.annotations.Nullable;

/**
 * A stream's turn on a thread that pulls many streams one after the other. Instead of waiting, a stage requests another
 * turn and returns an empty batch. Confined to that thread.
 */
public interface StreamTurn {

    /**
     * Requests a turn at {@code nanos} of the run's clock, to emit elements that the stage holds. The stream may be
     * pulled earlier.
     */
    void again(long nanos);

    /** Requests a turn at {@code nanos} to check for new elements. */
    void poll(long nanos);

    /**
     * Requests a turn at {@code nanos}.
     *
     * @param turn null if the stream has its own thread
     * @return false if the stream has its own thread; the caller must then wait
     */
    static boolean isAskedFor(@Nullable StreamTurn turn, long nanos) {
        if (turn == null) {
            return false;
        }
        turn.again(nanos);
        return true;
    }
}
