package dev.weir.bench.campaign;

import dev.weir.bench.explore.Trial;
import dev.weir.bench.result.Explored;

/** Receives the progress of an exploration, on the exploration's thread. */
public interface ExploreListener {

    /** Receives a line to keep. */
    void note(String line);

    /**
     * Receives the current activity.
     *
     * @param seconds since the start
     */
    void status(String doing, double seconds);

    /**
     * Called after each trial.
     *
     * @param number number of the trial in its search, from 1
     */
    void tried(String driver, String point, int number, Trial trial);

    /** Called after a search. */
    void finished(Explored explored);
}
