package dev.weir.bench.explore;

/** The verdict of a search. */
public enum Verdict {
    /** The limit lies in the interval; at its lower end the system held, and recovered from every perturbation. */
    FOUND,
    /** The system holds a rate approached from below, but does not recover from a perturbation at that rate. */
    UNSTABLE_AT,
    /** No rate was held, down to the lowest that is tried. */
    NOT_FOUND,
    /** The system holds the highest rate that the generator can send. */
    GENERATOR_BOUND,
    /** Time or trials ran out. */
    TIMED_OUT
}
