package dev.weir.stream.internal.operator;

import java.util.concurrent.TimeUnit;

/**
 * How many elements are acknowledged together: each by itself where work on one takes long, so that none waits for the
 * next, and up to {@value #MOST} where it does not. Confined to one thread.
 */
final class AckPace {

    static final int MOST = 16;

    /** A run that took longer was too long. */
    private static final long LONG_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

    private int together = 1;
    private long sinceNanos;

    /** Work begins. */
    void begin(long nowNanos) {
        sinceNanos = nowNanos;
    }

    /** Whether so many are to be acknowledged now; if so, the next run begins. */
    boolean isDue(int waiting) {
        if (waiting < together) {
            return false;
        }
        long now = System.nanoTime();
        together = now - sinceNanos > LONG_NANOS ? 1 : Math.min(MOST, 2 * together);
        sinceNanos = now;
        return true;
    }
}
