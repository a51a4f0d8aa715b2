package dev.weir.bench.trial;

import dev.weir.bench.RunFailure;
import dev.weir.bench.explore.Attempt;

/** Runs the trials that a search asks for. Confined to one thread. */
public interface Trials {
    /**
     * Runs a trial.
     *
     * @param seed draws what is random in it
     * @throws RunFailure if a process of the driver fails
     * @throws GeneratorFailure if the generator does
     */
    TrialResult run(Attempt attempt, long seed) throws InterruptedException;
}
