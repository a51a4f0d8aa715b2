package dev.weir.stream.internal.grouping;

import dev.weir.stream.spi.Stage;

/** Arithmetic of a clock's times. Stateless. */
final class Deadlines {

    private Deadlines() {}

    static long earlier(long oneNanos, long otherNanos) {
        if (oneNanos == Stage.NEVER || otherNanos == Stage.NEVER) {
            return Math.min(oneNanos, otherNanos);
        }
        return oneNanos - otherNanos < 0 ? oneNanos : otherNanos;
    }
}
