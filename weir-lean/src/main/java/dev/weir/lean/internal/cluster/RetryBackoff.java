package dev.weir.lean.internal.cluster;

import java.util.SplittableRandom;

/** Schedules retries. The wait doubles with each failure and has jitter. Confined to one thread. */
public final class RetryBackoff {

    private static final long FIRST_NANOS = 20_000_000;
    private static final double LEAST = 0.8;
    private static final double SPREAD = 0.4;

    private final long maxNanos;
    private final SplittableRandom random;
    private long delayNanos;
    private long dueNanos;
    private boolean waiting;

    /** @param maxNanos the longest wait, before jitter */
    public RetryBackoff(long maxNanos, SplittableRandom random) {
        this.maxNanos = maxNanos;
        this.random = random;
    }

    /** Reports a failure, which doubles the wait. */
    public void failed(long nowNanos) {
        delayNanos = Math.min(maxNanos, delayNanos == 0 ? FIRST_NANOS : 2 * delayNanos);
        dueNanos = nowNanos + (long) (delayNanos * (LEAST + SPREAD * random.nextDouble()));
        waiting = true;
    }

    /** Reports a success, which resets the wait. */
    public void succeeded() {
        delayNanos = 0;
        waiting = false;
    }

    /** Returns whether the next attempt may be made. */
    public boolean isDue(long nowNanos) {
        if (waiting && nowNanos - dueNanos >= 0) {
            waiting = false;
        }
        return !waiting;
    }
}
