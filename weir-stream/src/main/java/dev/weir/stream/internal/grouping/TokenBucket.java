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

    /**
     * Creates a full bucket.
     *
     * @param permits how many come in {@code perNanos}
     * @param burst how many there may be at once
     */
    TokenBucket(long permits, long perNanos, long burst, long nowNanos) {
        long divisor =
                BigInteger.valueOf(permits).gcd(BigInteger.valueOf(perNanos)).longValue();
        unitsPerPermit = perNanos / divisor;
        unitsPerNano = permits / divisor;
        // A quarter of the range each for what is there and for a debt.
        if (burst > Long.MAX_VALUE / 4 / unitsPerPermit) {
            throw new IllegalArgumentException("too much burst for so low a rate: burst=" + burst);
        }
        capacityUnits = burst * unitsPerPermit;
        units = capacityUnits;
        filledToNanos = nowNanos;
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

    /** Whether it holds its burst, so that nobody can tell it from a new one. */
    boolean isFull(long nowNanos) {
        fill(nowNanos);
        return units == capacityUnits;
    }

    /** Refuses a cost that can never be paid. */
    void check(long cost) {
        if (cost > Long.MAX_VALUE / 4 / unitsPerPermit) {
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
