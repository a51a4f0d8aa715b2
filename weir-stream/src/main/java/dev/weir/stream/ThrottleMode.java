package dev.weir.stream;

/** The reaction of a {@link Source#throttle throttle} to an element that arrives too early. */
public enum ThrottleMode {
    /** Delays the element, which applies back-pressure to the upstream stages. */
    SHAPING,
    /**
     * Fails elements that arrive too early, with a {@link RateExceededException}. The stage's {@link Supervision}
     * decides what happens to these elements. For example, {@link Supervision#skip} drops them.
     */
    ENFORCING
}
