package dev.weir.stream;

/** What a {@link Source#throttle throttle} does with an element that comes too early. */
public enum ThrottleMode {
    /** Holds it until its time, and what is above with it. */
    SHAPING,
    /**
     * Fails with a {@link RateExceededException}, which the stage's {@link Supervision} is asked about: with one that
     * skips, what exceeds the rate is dropped.
     */
    ENFORCING
}
