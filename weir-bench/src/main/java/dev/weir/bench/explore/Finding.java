package dev.weir.bench.explore;

import java.util.List;

/**
 * The finding of a search. Immutable.
 *
 * @param low the highest rate that the verdict says the system sustains, in records per second; not a number for
 *     none. It is confirmed, but with {@code TIMED_OUT}, where it is the highest that passed at all
 * @param high a rate above which it does not, from the lowest that failed; not a number where none has, whatever could
 *     not be sent
 * @param unstableAt the lowest rate that was held, and at which the system did not recover from a perturbation; not a
 *     number for none
 * @param trials in their order
 */
public record Finding(Verdict verdict, double low, double high, double unstableAt, List<Trial> trials) {

    public Finding {
        trials = List.copyOf(trials);
    }

    /** The perturbations at {@link #low}, or, of an unstable system, at {@link #unstableAt}. */
    public List<Trial> perturbations() {
        double at = verdict == Verdict.UNSTABLE_AT ? unstableAt : low;
        return trials.stream()
                .filter(trial -> trial.attempt().kind().isPerturbation())
                .filter(trial -> trial.attempt().rate() == at)
                .toList();
    }
}
