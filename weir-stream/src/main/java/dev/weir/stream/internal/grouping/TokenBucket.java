package dev.weir.stream.internal.grouping;

import java.math.BigInteger;

/**
 * A store of permits that fills at a fixed rate up to its burst. Confined to one thread. Counts in whole numbers, so
 * that nothing is lost by rounding.
 *
 * <p>Who needs more than there is takes it on credit and learns when the debt will be paid: a cost above the burst is
 * possible, and takes its time.
 */
final class TokenBucket {

    // In units of which one permit costs `unitsPerPermit` and each nanosecond brings `unitsPerNano`.
    private final long unitsPerPermit;
    private final long unitsPerNano;
    private final long capacityUnits;

    private long units;
    private long filledToNanos;

    /** A quarter of the range each for what is there and for a debt. */
    private static final long MAX_UNITS = Long.MAX_VALUE / 4;

    /**
     * Creates a full bucket.
     *
     * @param permits how many come in {@code perNanos}
     * @param burst how many there may be at once, at most {@link #maxBurst}
     */
    TokenBucket(long permits, long perNanos, long burst, long nowNanos) {
        unitsPerPermit = unitsPerPermit(permits, perNanos);
        unitsPerNano = permits / divisor(permits, perNanos);
        capacityUnits = burst * unitsPerPermit;
        units = capacityUnits;
        filledToNanos = nowNanos;
    }

    private static long divisor(long permits, long perNanos) {
        return BigInteger.valueOf(permits).gcd(BigInteger.valueOf(perNanos)).longValue();
    }

    /** The cost of a permit; 73 years for one are as good as any more. */
    private static long unitsPerPermit(long permits, long perNanos) {
        return Math.min(perNanos / divisor(permits, perNanos), MAX_UNITS);
    }

    /** The most that a bucket of this rate can count, at least 1. */
    static long maxBurst(long permits, long perNanos) {
        return MAX_UNITS / unitsPerPermit(permits, perNanos);
    }

    private TokenBucket(TokenBucket pattern, long nowNanos) {
        unitsPerPermit = pattern.unitsPerPermit;
        unitsPerNano = pattern.unitsPerNano;
        capacityUnits = pattern.capacityUnits;
        units = capacityUnits;
        filledToNanos = nowNanos;
    }

    /** A full bucket of the same rate and burst. */
    TokenBucket another(long nowNanos) {
        return new TokenBucket(this, nowNanos);
    }

    /** Returns whether it holds its burst, so that nobody can tell it from a new one. */
    boolean isFull(long nowNanos) {
        fill(nowNanos);
        return units == capacityUnits;
    }

    /** Refuses a cost that can never be paid. */
    void check(long cost) {
        if (cost > MAX_UNITS / unitsPerPermit) {
            throw new IllegalArgumentException("a cost that would take centuries: " + cost);
        }
    }

    /** Takes {@code cost} permits and returns for how many nanoseconds they are still to be waited for, often 0. */
    long take(long cost, long nowNanos) {
        check(cost);
        fill(nowNanos);
        units -= cost * unitsPerPermit;
        return units >= 0 ? 0 : Math.ceilDiv(-units, unitsPerNano);
    }

    /** Gives back what was taken last. */
    void giveBack(long cost) {
        units += cost * unitsPerPermit;
    }

    private void fill(long nowNanos) {
        long elapsed = nowNanos - filledToNanos;
        filledToNanos = nowNanos;
        long room = capacityUnits - units;
        units = elapsed > room / unitsPerNano ? capacityUnits : units + elapsed * unitsPerNano;
    }
}
