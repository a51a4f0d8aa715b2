package dev.weir.stream;

/** The reaction of a {@link Source#throttle throttle} to an element that arrives too early. */
public enum ThrottleMode {
    /** Delays the element, which applies back-pressure to the upstream stages. */
    SHAPING,
    /**
     * Fails with a {@link RateExceededException}; the stage's {@link Supervision} decides what happens. If it skips,
     * elements that exceed the rate are dropped.
     */
    ENFORCING
}
