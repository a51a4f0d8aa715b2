package dev.weir.bench.explore;

/**
 * The outcome of a trial. Immutable.
 *
 * @param why explanation for the user, with the figures that decided the result
 * @param recoveryMillis for a passed perturbation, time from its end until the target was met again; NaN otherwise
 * @param projected whether the backlog was still falling when the trial ended, so that {@code recoveryMillis} is an
 *     estimate
 * @param carried for a failed perturbation, the throughput at the end of the trial, in records per second; NaN if
 *     unknown
 */
public record Outcome(Result result, String why, double recoveryMillis, boolean projected, double carried) {

    /** The result of a trial. */
    public enum Result {
        /** The system met the target. */
        PASSED,
        /** The system did not meet the target. */
        FAILED,
        /** The generator did not send the load as planned, so the trial says nothing about the system. */
        GENERATOR_BOUND
    }

    /** Creates an outcome without recovery figures. */
    public Outcome(Result result, String why) {
        this(result, why, Double.NaN, false, Double.NaN);
    }
}
