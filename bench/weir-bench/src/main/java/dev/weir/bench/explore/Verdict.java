package dev.weir.bench.explore;

/** The verdict of a search. */
public enum Verdict {
    /**
     * The search found an interval that contains the limit. At the lower end of the interval, the system sustained the
     * rate and recovered from every perturbation.
     */
    FOUND,
    /** The system sustains a rate, but does not recover from a perturbation at that rate. */
    UNSTABLE_AT,
    /** The system sustained none of the tried rates, not even the lowest one. */
    NOT_FOUND,
    /** The system sustains the highest rate that the generator can send. */
    GENERATOR_BOUND,
    /** Time or trials ran out. */
    TIMED_OUT
}
