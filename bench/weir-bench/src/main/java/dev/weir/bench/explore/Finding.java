package dev.weir.bench.explore;

import java.util.List;

/**
 * The finding of a search. Immutable.
 *
 * @param low the highest sustained rate in records per second; NaN if there is none. With the verdict
 *     {@code TIMED_OUT}, the rate is not confirmed
 * @param high upper end of the interval, derived from the lowest failed rate; NaN if none failed
 * @param unstableAt the lowest sustained rate at which the system did not recover from a perturbation; NaN if there is
 *     none
 * @param trials the trials in order
 */
public record Finding(Verdict verdict, double low, double high, double unstableAt, List<Trial> trials) {

    public Finding {
        trials = List.copyOf(trials);
    }

    /**
     * Returns the perturbations at the rate {@link #low}. If the system is unstable, returns the perturbations at the
     * rate {@link #unstableAt} instead.
     */
    public List<Trial> perturbations() {
        double at = verdict == Verdict.UNSTABLE_AT ? unstableAt : low;
        return trials.stream()
                .filter(trial -> trial.attempt().kind().isPerturbation())
                .filter(trial -> trial.attempt().rate() == at)
                .toList();
    }
}
