package dev.weir.stream.internal.grouping;

import dev.weir.stream.control.Pace;

/**
 * Shows the rate and the waits of a throttle. Holds no reference to the stage, so the stage can be garbage-collected.
 * Thread-safe.
 */
record ThrottlePace(String stage, double perSecond, Waiting waiting) implements Pace {

    private static final long NOT_NOW = 0;

    /** Time for which the stage has waited. Written by its thread, read by any thread. */
    static final class Waiting {

        private volatile long endedNanos;
        private volatile long sinceNanos = NOT_NOW;

        void begin() {
            sinceNanos = Math.max(1, System.nanoTime() - START_NANOS);
        }

        @SuppressWarnings("NonAtomicVolatileUpdate") // only one thread writes it
        void end() {
            endedNanos += nowNanos();
            sinceNanos = NOT_NOW;
        }

        private long nowNanos() {
            long since = sinceNanos;
            return since == NOT_NOW ? 0 : System.nanoTime() - START_NANOS - since;
        }
    }

    /** Origin of the times in this class, 1 ns in the past, so that no time equals {@code NOT_NOW}. */
    private static final long START_NANOS = System.nanoTime() - 1;

    @Override
    public long waitedNanos() {
        return waiting.endedNanos + waiting.nowNanos();
    }
}
