package dev.weir.stream.internal.waiting;

import org.jspecify.annotations.Nullable;

/**
 * A stream's turn on a thread that pulls many streams one after the other. A stage that would wait there asks for
 * another turn instead and returns an empty batch, so that it delays its own stream only. Confined to that thread.
 */
public interface StreamTurn {

    /**
     * Asks for a turn at {@code nanos} of the run's clock, when what the stage holds back may go on. The stream may be
     * pulled before.
     */
    void again(long nanos);

    /** Asks for a turn at {@code nanos} to look for new elements. The stage holds none, and may never have any. */
    void poll(long nanos);

    /**
     * Asks for a turn at {@code nanos}.
     *
     * @param turn null if the stream has its thread to itself
     * @return false if the stream has its thread to itself, so that the caller waits
     */
    static boolean isAskedFor(@Nullable StreamTurn turn, long nanos) {
        if (turn == null) {
            return false;
        }
        turn.again(nanos);
        return true;
    }
}
