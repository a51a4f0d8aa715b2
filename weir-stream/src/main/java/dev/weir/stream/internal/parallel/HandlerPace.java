package dev.weir.stream.internal.parallel;

import java.util.concurrent.TimeUnit;

/** The moving average of the duration of a stage's handlers. Guarded by the stage's lock. */
final class HandlerPace {

    /**
     * The average duration below which handlers count as quick. If handlers are slower, each ready element gets a
     * worker as soon as possible.
     */
    private static final long QUICK_NANOS = TimeUnit.MICROSECONDS.toNanos(10);

    /** Elements are timed together in groups that take about this long. */
    private static final long RUN_NANOS = TimeUnit.MICROSECONDS.toNanos(10);

    private static final int LONGEST_STINT = 64;

    private long nanos = Long.MAX_VALUE;

    /** Adds the duration of one element, or the average of several. */
    void add(long elementNanos) {
        nanos = nanos == Long.MAX_VALUE ? elementNanos : nanos + (elementNanos - nanos) / 4;
    }

    /** Raises the average because a handler has been running for a long time. */
    void addSlow() {
        nanos = Math.max(nanos, 4 * QUICK_NANOS);
    }

    long nanos() {
        return nanos;
    }

    /** Returns whether handlers are known to be quick and therefore hardly ever block. */
    boolean isQuick() {
        return nanos < QUICK_NANOS;
    }

    /** The number of consecutive elements to time together. */
    int runLength() {
        return nanos >= RUN_NANOS ? 1 : Math.clamp(RUN_NANOS / Math.max(1, nanos), 1, LONGEST_STINT);
    }
}
