package dev.weir.bench.explore;

/**
 * The outcome of a trial. Immutable.
 *
 * @param why readable text with the figures that decided
 * @param recoveryMillis for a passed perturbation, time from its end until the target was met again; NaN otherwise
 * @param projected whether the backlog was still falling when the trial ended, so that {@code recoveryMillis} is an
 *     estimate
 * @param carried of a perturbation that failed, how many records a second it took at the end; not a number where that
 *     is not known
 */
public record Outcome(Result result, String why, double recoveryMillis, boolean projected, double carried) {

    /** The result of a trial. */
    public enum Result {
        /** The system met the target. */
        PASSED,
        /** The system did not. */
        FAILED,
        /** The load was not sent as planned, which says nothing about the system. */
        GENERATOR_BOUND
    }

    /** Outcome of a trial without recovery. */
    public Outcome(Result result, String why) {
        this(result, why, Double.NaN, false, Double.NaN);
    }
}
