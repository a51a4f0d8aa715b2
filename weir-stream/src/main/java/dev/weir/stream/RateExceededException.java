package dev.weir.stream;

import java.time.Duration;

/** An element came faster than an {@linkplain ThrottleMode#ENFORCING enforcing} throttle allows. Immutable. */
public final class RateExceededException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final long earlyNanos;

    /**
     * Says by how much.
     *
     * @param earlyNanos how much later the element would have been in time
     */
    public RateExceededException(long elements, Duration per, long earlyNanos) {
        super("more than " + elements + " per " + per + ": an element came " + Duration.ofNanos(earlyNanos)
                + " too early");
        this.earlyNanos = earlyNanos;
    }

    /** The delay after which the element would have been in time. */
    public Duration early() {
        return Duration.ofNanos(earlyNanos);
    }
}
