package dev.weir.stream.internal.parallel;

import java.util.concurrent.TimeUnit;

/** Moving average of the duration of a stage's handlers. Guarded by the stage's lock. */
final class HandlerPace {

    /**
     * Average duration below which handlers count as quick. With slower handlers, each ready element gets a worker at
     * once.
     */
    private static final long QUICK_NANOS = TimeUnit.MICROSECONDS.toNanos(10);

    /** Target duration of a group of elements that is timed together. */
    private static final long RUN_NANOS = TimeUnit.MICROSECONDS.toNanos(10);

    private static final int LONGEST_STINT = 64;

    private long nanos = Long.MAX_VALUE;

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

    /** Returns whether handlers are known to be quick. */
    boolean isQuick() {
        return nanos < QUICK_NANOS;
    }

    /** Number of consecutive elements to time together. */
    int runLength() {
        return nanos >= RUN_NANOS ? 1 : Math.clamp(RUN_NANOS / Math.max(1, nanos), 1, LONGEST_STINT);
    }
}
