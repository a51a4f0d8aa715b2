package dev.weir.bench.statistics;

import java.util.SplittableRandom;

/**
 * When each record of an open-loop run is due, whatever happened to the ones before. Confined to one thread.
 *
 * <p>A late sender sends at once and keeps the plan, so what it missed is caught up and never forgotten.
 */
public final class SendPlan {

    private final double gapNanos;
    private final boolean poisson;
    private final SplittableRandom random;
    private double dueNanos;

    private SendPlan(double recordsPerSecond, boolean poisson, long seed) {
        if (!(recordsPerSecond > 0) || Double.isInfinite(recordsPerSecond)) {
            throw new IllegalArgumentException(
                    "recordsPerSecond must be above 0: recordsPerSecond=" + recordsPerSecond);
        }
        this.gapNanos = 1e9 / recordsPerSecond;
        this.poisson = poisson;
        this.random = new SplittableRandom(seed);
    }

    /** Even gaps. */
    public static SendPlan constant(double recordsPerSecond) {
        return new SendPlan(recordsPerSecond, false, 0);
    }

    /** Arrivals as of many independent senders: exponential gaps, the same for the same seed. */
    public static SendPlan poisson(double recordsPerSecond, long seed) {
        return new SendPlan(recordsPerSecond, true, seed);
    }

    /** When the next record is due, in nanoseconds since the start; the first of an even plan at 0. */
    public long nextNanos() {
        long due = (long) dueNanos;
        dueNanos += poisson ? -Math.log1p(-random.nextDouble()) * gapNanos : gapNanos;
        return due;
    }
}
