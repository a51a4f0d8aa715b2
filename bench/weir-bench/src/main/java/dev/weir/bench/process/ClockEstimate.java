package dev.weir.bench.process;

/**
 * Estimates the offset between this clock and the clock of another process by exchanging messages. The error is at most
 * half the duration of the exchange, so the fastest exchange gives the best estimate. Confined to one thread.
 *
 * <pre>
 *  here    asked -------------- middle -------------- heard
 *  there              theirs, anywhere in between
 *  offset = middle - theirs, wrong by (heard - asked) / 2 at most
 * </pre>
 *
 * <p>A reading is the result of one or more exchanges. Its error grows with its age, because clocks drift. If the
 * offset moves further than drift allows, the other clock was set. {@code wasSet()} then returns true, and the error
 * has no meaning.
 */
final class ClockEstimate {
    /** Largest relative drift between two unadjusted clocks. Each clock may be wrong by up to 100 parts per million. */
    private static final double DRIFT = 200e-6;

    /** Largest relative drift while both clocks are being slewed (adjusted gradually), each by at most 0.05 %. */
    private static final double MOST_DRIFT = 1_000e-6;

    private boolean isKnown;
    private boolean wasSet;
    private long offsetNanos;
    private long boundNanos; // error bound of offsetNanos at foundNanos
    private long foundNanos;
    private long errorNanos;

    // State of the current reading.
    private long leastNanos = Long.MAX_VALUE; // duration of the quickest exchange
    private long middleNanos;
    private long lookedOffsetNanos;

    /**
     * Adds an exchange to the current reading. {@code askedNanos} and {@code heardNanos} are times of this clock;
     * {@code theirNanos} is a time of the other clock.
     */
    void exchanged(long askedNanos, long theirNanos, long heardNanos) {
        long took = heardNanos - askedNanos;
        if (took >= 0 && took < leastNanos) {
            leastNanos = took;
            middleNanos = askedNanos + took / 2;
            lookedOffsetNanos = middleNanos - theirNanos;
        }
    }

    /**
     * Completes the current reading and updates the estimate. Returns false if there was no exchange since the last
     * reading.
     */
    boolean looked() {
        if (leastNanos == Long.MAX_VALUE) {
            return false;
        }
        long bound = leastNanos / 2 + 1;
        if (isKnown) {
            long aged = agedNanos(middleNanos);
            long moved = Math.abs(lookedOffsetNanos - offsetNanos);
            wasSet |= moved > bound + boundNanos + (long) (MOST_DRIFT * (middleNanos - foundNanos));
            if (bound > aged && moved <= bound + aged) {
                errorNanos = Math.max(errorNanos, aged);
                leastNanos = Long.MAX_VALUE;
                return true;
            }
            errorNanos = Math.max(errorNanos, moved + bound);
        } else {
            errorNanos = bound;
        }
        isKnown = true;
        offsetNanos = lookedOffsetNanos;
        boundNanos = bound;
        foundNanos = middleNanos;
        leastNanos = Long.MAX_VALUE;
        return true;
    }

    /** The offset to add to a time of the other clock to get a time of this clock; 0 before the first reading. */
    long offsetNanos() {
        return offsetNanos;
    }

    /** Largest error of the offset since the last {@link #restart} or the first reading. */
    long errorNanos(long nowNanos) {
        return Math.max(errorNanos, agedNanos(nowNanos));
    }

    /** Returns whether the other clock was set since the last {@link #restart} or the first reading. */
    boolean wasSet() {
        return wasSet;
    }

    private long agedNanos(long nowNanos) {
        return boundNanos + (long) (DRIFT * (nowNanos - foundNanos));
    }

    /** Starts a new period for {@link #errorNanos} and {@link #wasSet}. */
    void restart(long nowNanos) {
        errorNanos = agedNanos(nowNanos);
        wasSet = false;
    }
}
