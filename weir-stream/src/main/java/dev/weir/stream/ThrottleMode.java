package dev.weir.stream;

/** The answer of a {@link Source#throttle throttle} to an element that comes too early. */
public enum ThrottleMode {
    /** Holds it until its time, and with it the stages above. */
    SHAPING,
    /**
     * Fails with a {@link RateExceededException}, which the stage's {@link Supervision} is asked about: with one that
     * skips, elements beyond the rate are dropped.
     */
    ENFORCING
}
