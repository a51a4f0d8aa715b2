package dev.weir.stream;

/** The reaction of a {@link Source#throttle throttle} to an element that arrives too early. */
public enum ThrottleMode {
    /** Delays the element, and with it the stages above. */
    SHAPING,
    /**
     * Fails with a {@link RateExceededException}, about which the stage's {@link Supervision} decides: if it skips,
     * elements beyond the rate are dropped.
     */
    ENFORCING
}
