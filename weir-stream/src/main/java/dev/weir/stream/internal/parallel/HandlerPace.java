package dev.weir.stream.internal.parallel;

import java.util.concurrent.TimeUnit;

/** The duration of a stage's handlers: a moving average. Guarded by the lock of its owner. */
final class HandlerPace {

    /** Handlers that take longer each get a thread as soon as there is one. */
    private static final long QUICK_NANOS = TimeUnit.MICROSECONDS.toNanos(10);

    /** The amount of work timed as one. */
    private static final long STINT_NANOS = TimeUnit.MICROSECONDS.toNanos(10);

    private static final int LONGEST_STINT = 64;

    private long nanos = Long.MAX_VALUE;

    /** Takes in the time of one element, or the average of several. */
    void add(long elementNanos) {
        nanos = nanos == Long.MAX_VALUE ? elementNanos : nanos + (elementNanos - nanos) / 4;
    }

    /** Takes in that a handler has not come back for long. */
    void addSlow() {
        nanos = Math.max(nanos, 4 * QUICK_NANOS);
    }

    long nanos() {
        return nanos;
    }

    /** Returns whether it is known that handlers hardly ever block. */
    boolean isQuick() {
        return nanos < QUICK_NANOS;
    }

    /** The number of elements in a row to time as one. */
    int stintLength() {
        return nanos >= STINT_NANOS ? 1 : Math.clamp(STINT_NANOS / Math.max(1, nanos), 1, LONGEST_STINT);
    }
}
