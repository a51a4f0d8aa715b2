package dev.weir.bench.campaign;

import dev.weir.bench.explore.Trial;
import dev.weir.bench.result.Explored;

/** Hears how an exploration goes on, on its thread. */
public interface ExploreListener {

    /** A line that is worth keeping. */
    void note(String line);

    /**
     * Hears of the present activity.
     *
     * @param seconds since the begin
     */
    void status(String doing, double seconds);

    /** A trial is over, the {@code number}th of its search, from 1. */
    void tried(String driver, String point, int number, Trial trial);

    /** A search is over. */
    void finished(Explored explored);
}
