package dev.weir.stream.internal.waiting;

import dev.weir.stream.spi.Stage;

/** Arithmetic on the times of a clock. Stateless. */
public final class DeadlineArithmetic {

    private DeadlineArithmetic() {}

    /** Returns the earlier of two times. Either time may be {@link Stage#NEVER}. */
    public static long earlier(long oneNanos, long otherNanos) {
        if (oneNanos == Stage.NEVER || otherNanos == Stage.NEVER) {
            return Math.min(oneNanos, otherNanos);
        }
        return oneNanos - otherNanos < 0 ? oneNanos : otherNanos;
    }
}
