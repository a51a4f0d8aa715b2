package dev.weir.bench.explore;

/** The verdict of a search. */
public enum Verdict {
    /**
     * The limit lies in the interval. At its lower end, the system held the rate and recovered from every perturbation.
     */
    FOUND,
    /** The system holds a rate approached from below, but does not recover from a perturbation at that rate. */
    UNSTABLE_AT,
    /** The system held no rate, not even the lowest one that is tried. */
    NOT_FOUND,
    /** The system holds the highest rate that the generator can send. */
    GENERATOR_BOUND,
    /** Time or trials ran out. */
    TIMED_OUT
}
