package dev.weir.bench.trial;

import dev.weir.bench.RunFailure;
import dev.weir.bench.explore.Attempt;

/** Runs the trials that a search needs. Confined to one thread. */
public interface Trials extends AutoCloseable {
    /**
     * Runs a trial.
     *
     * @param seed the seed for everything random in the trial
     * @throws RunFailure if a process of the driver fails
     * @throws GeneratorFailure if the generator fails
     */
    TrialResult run(Attempt attempt, long seed) throws InterruptedException;

    /** Ends the processes of the trials, if there are any. */
    @Override
    default void close() {}
}
