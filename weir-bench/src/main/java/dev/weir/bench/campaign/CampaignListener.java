package dev.weir.bench.campaign;

import dev.weir.bench.result.Phase;
import dev.weir.bench.result.Run;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Hears how a campaign goes on, on the campaign's thread. */
public interface CampaignListener {

    /** A line that is worth keeping. */
    void note(String line);

    /**
     * Hears of the present activity.
     *
     * @param remaining of the whole campaign, by what it took so far; null before the first run is over
     */
    void status(String doing, int runsDone, int runs, @Nullable Duration remaining);

    /**
     * A second of a run that can be changed while it goes on.
     *
     * @param series what clients, brokers and the machine were at, by name
     */
    default void second(Phase second, Map<String, Double> series) {}

    /** A run was kept. */
    void finished(Run run, int runsDone, int runs);
}
