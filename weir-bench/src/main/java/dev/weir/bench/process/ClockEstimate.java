package dev.weir.bench.process;

/**
 * Estimates the offset of another clock from exchanges of messages: the other clock was read between question and
 * answer, so the quickest of several exchanges limits the error to half its duration. Confined to one thread.
 *
 * <pre>
 *  here    asked -------------- middle -------------- heard
 *  there              theirs, anywhere in between
 *  offset = middle - theirs, wrong by (heard - asked) / 2 at most
 * </pre>
 *
 * <p>Clocks drift between readings. A newer reading replaces an older one unless it is less certain than the older one
 * by now. The error includes the observed movement of the offset and possible drift since. A clock that has moved
 * further than drift allows was set, and no error is given for that.
 */
final class ClockEstimate {
    /** Largest relative drift between two unadjusted clocks: each errs by up to a hundred millionths. */
    private static final double DRIFT = 200e-6;

    /** Largest relative drift while both clocks are being adjusted gradually, each by at most 0.05 %. */
    private static final double MOST_DRIFT = 1_000e-6;

    private boolean isKnown;
    private boolean wasSet;
    private long offsetNanos;
    private long boundNanos; // of the offset, when it was found
    private long foundNanos;
    private long errorNanos;

    // State of the current reading.
    private long leastNanos = Long.MAX_VALUE; // of the exchanges
    private long middleNanos;
    private long lookedOffsetNanos;

    /** Adds an exchange; {@code asked} and {@code heard} are of the same clock. */
    void exchanged(long askedNanos, long theirNanos, long heardNanos) {
        long took = heardNanos - askedNanos;
        if (took >= 0 && took < leastNanos) {
            leastNanos = took;
            middleNanos = askedNanos + took / 2;
            lookedOffsetNanos = middleNanos - theirNanos;
        }
    }

    /** Ends the look; false if nothing was exchanged in it. */
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

    /** The offset to add to the other clock to have this one; 0 before the first look. */
    long offsetNanos() {
        return offsetNanos;
    }

    /** Largest error of the offset since the last {@link #restart} or the first reading. */
    long errorNanos(long nowNanos) {
        return Math.max(errorNanos, agedNanos(nowNanos));
    }

    /** Returns whether the other clock was set, since the last {@link #restart} or the first look. */
    boolean wasSet() {
        return wasSet;
    }

    private long agedNanos(long nowNanos) {
        return boundNanos + (long) (DRIFT * (nowNanos - foundNanos));
    }

    /** The error counts from here on. */
    void restart(long nowNanos) {
        errorNanos = agedNanos(nowNanos);
        wasSet = false;
    }
}
