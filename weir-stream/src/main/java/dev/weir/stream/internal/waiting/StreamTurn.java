package dev.weir.stream.internal.waiting;

import org.jspecify.annotations.Nullable;

/**
 * A stream's turn on a thread that pulls many streams one after the other. Instead of waiting, a stage requests another
 * turn and returns an empty batch, so that it delays only its own stream. Confined to that thread.
 */
public interface StreamTurn {

    /**
     * Requests a turn at {@code nanos} of the run's clock, when the stage will be able to emit elements that it holds.
     * The stream may be pulled earlier.
     */
    void again(long nanos);

    /**
     * Requests a turn at {@code nanos} to check for new elements. Unlike {@link #again}, this method tells the pulling
     * stage that the stream holds no elements, so a failure need not wait for this turn.
     */
    void poll(long nanos);

    /**
     * Requests a turn at {@code nanos}.
     *
     * @param turn null if the stream has its own thread
     * @return false if the stream has its own thread, so that the caller must wait
     */
    static boolean isAskedFor(@Nullable StreamTurn turn, long nanos) {
        if (turn == null) {
            return false;
        }
        turn.again(nanos);
        return true;
    }
}
