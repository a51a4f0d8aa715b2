package dev.weir.stream.internal.parallel;

import java.util.concurrent.TimeUnit;

/** The duration of a stage's handlers: a moving average. Guarded by the lock of its owner. */
final class HandlerPace {

    /** Handlers that take longer than this each get a thread as soon as possible. */
    private static final long QUICK_NANOS = TimeUnit.MICROSECONDS.toNanos(10);

    /** The amount of work that is timed together. */
    private static final long STINT_NANOS = TimeUnit.MICROSECONDS.toNanos(10);

    private static final int LONGEST_STINT = 64;

    private long nanos = Long.MAX_VALUE;

    /** Adds the time of one element, or the average of several. */
    void add(long elementNanos) {
        nanos = nanos == Long.MAX_VALUE ? elementNanos : nanos + (elementNanos - nanos) / 4;
    }

    /** Records that a handler has not returned for long. */
    void addSlow() {
        nanos = Math.max(nanos, 4 * QUICK_NANOS);
    }

    long nanos() {
        return nanos;
    }

    /** Returns whether handlers are known to block hardly ever. */
    boolean isQuick() {
        return nanos < QUICK_NANOS;
    }

    /** The number of consecutive elements to time together. */
    int stintLength() {
        return nanos >= STINT_NANOS ? 1 : Math.clamp(STINT_NANOS / Math.max(1, nanos), 1, LONGEST_STINT);
    }
}
