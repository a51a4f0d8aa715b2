package dev.weir.bench.campaign;

import dev.weir.bench.result.Phase;
import dev.weir.bench.result.Run;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Receives the progress of a campaign, on the campaign's thread. */
public interface CampaignListener {

    /** Receives a line to keep. */
    void note(String line);

    /**
     * Receives the current activity.
     *
     * @param remaining estimate for the whole campaign; null before the end of the first run
     */
    void status(String doing, int runsDone, int runs, @Nullable Duration remaining);

    /**
     * Receives a second of a run that can be changed.
     *
     * @param series figures of clients, brokers and the machine by name
     */
    default void second(Phase second, Map<String, Double> series) {}

    /** Called when a run has been stored. */
    void finished(Run run, int runsDone, int runs);
}
