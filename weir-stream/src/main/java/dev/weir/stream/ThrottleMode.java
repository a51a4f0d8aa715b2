package dev.weir.stream;

/** The reaction of a {@link Source#throttle throttle} to an element that arrives too early. */
public enum ThrottleMode {
    /** Delays the element; the upstream stages wait. */
    SHAPING,
    /**
     * Fails the element with a {@link RateExceededException}. The stage's {@link Supervision} decides what happens to
     * it; {@link Supervision#skip} drops it.
     */
    ENFORCING
}
