package dev.weir.bench.explore;

/** The verdict of a search. */
public enum Verdict {
    /** The limit lies in the interval; at its lower end the system held, and recovered from every perturbation. */
    FOUND,
    /** The system holds a rate when it is approached from below, and does not recover at it from a perturbation. */
    UNSTABLE_AT,
    /** No rate was held, down to the lowest that is tried. */
    NOT_FOUND,
    /** The system holds what the generator can send. */
    GENERATOR_BOUND,
    /** Time or trials were used up before. */
    TIMED_OUT
}
