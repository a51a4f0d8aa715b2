package dev.weir.stream.internal.grouping;

import java.math.BigInteger;

/**
 * A token bucket: permits accumulate at a fixed rate, up to the bucket's burst. It counts in integers, so rounding
 * loses no permits. Confined to one thread.
 *
 * <p>A caller may take more permits than are available. It then gets the time until the debt is paid.
 */
final class TokenBucket {

    // One permit costs `unitsPerPermit`, and each nanosecond adds `unitsPerNano`.
    private final long unitsPerPermit;
    private final long unitsPerNano;
    private final long capacityUnits;

    private long units;
    private long filledToNanos;

    /**
     * Maximum number of units in the bucket, and maximum cost of one call. A quarter of {@link Long#MAX_VALUE}, which
     * leaves room for debt.
     */
    private static final long MAX_UNITS = Long.MAX_VALUE / 4;

    /**
     * Creates a full bucket.
     *
     * @param permits number of permits added in {@code perNanos}
     * @param burst maximum number of permits at once, at most {@link #maxBurst}
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

    /** Returns the cost of a permit in units, at most {@link #MAX_UNITS}. */
    private static long unitsPerPermit(long permits, long perNanos) {
        return Math.min(perNanos / divisor(permits, perNanos), MAX_UNITS);
    }

    /** Returns the largest possible burst at this rate, at least 1. */
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

    TokenBucket another(long nowNanos) {
        return new TokenBucket(this, nowNanos);
    }

    /** Returns whether the bucket holds its full burst, like a new bucket. */
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

    /** Takes {@code cost} permits. Returns the time to wait for them in nanoseconds; 0 if they were available. */
    long take(long cost, long nowNanos) {
        check(cost);
        fill(nowNanos);
        units -= cost * unitsPerPermit;
        return units >= 0 ? 0 : Math.ceilDiv(-units, unitsPerNano);
    }

    /** Gives back the permits of the last {@link #take}. */
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
