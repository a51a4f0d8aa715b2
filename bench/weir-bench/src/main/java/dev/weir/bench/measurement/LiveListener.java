package dev.weir.bench.measurement;

import dev.weir.bench.result.Phase;
import java.util.Map;

/** Receives the progress of a changeable run, on the run's thread. */
public interface LiveListener {

    /**
     * Receives the figures of one second of the run.
     *
     * @param series the current figures of clients, brokers and machine, by name
     */
    void second(Phase second, Map<String, Double> series);

    /** Receives a change that was made to the run, and its time in milliseconds since the start of the send plan. */
    void changed(double atMillis, String what);
}
