package dev.weir.stream;

import java.time.Duration;

/** Thrown when an element arrives too early at an {@linkplain ThrottleMode#ENFORCING enforcing} throttle. Immutable. */
public final class RateExceededException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final long earlyNanos;

    /**
     * Creates the exception for an element that arrived too early.
     *
     * @param earlyNanos time until the element would have been allowed
     */
    public RateExceededException(long elements, Duration per, long earlyNanos) {
        super("more than " + elements + " per " + per + ": an element arrived " + Duration.ofNanos(earlyNanos)
                + " too early");
        this.earlyNanos = earlyNanos;
    }

    /** The time until the element would have been allowed. */
    public Duration early() {
        return Duration.ofNanos(earlyNanos);
    }
}
