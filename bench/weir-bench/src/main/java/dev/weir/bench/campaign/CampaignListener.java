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
     * @param remaining estimated time for the remaining runs; null until the first run has ended
     */
    void status(String doing, int runsDone, int runs, @Nullable Duration remaining);

    /**
     * Receives the figures of one second of a run. Called only if the run accepts commands.
     *
     * @param series figures of clients, brokers and the machine by name
     */
    default void second(Phase second, Map<String, Double> series) {}

    /** Called when a run has been stored. */
    void finished(Run run, int runsDone, int runs);
}
