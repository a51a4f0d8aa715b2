package dev.weir.bench.measurement;

import dev.weir.bench.result.Phase;
import java.util.Map;

/** Receives the progress of a changeable run, on its thread. */
public interface LiveListener {

    /**
     * A second of it.
     *
     * @param series what clients, brokers and the machine were at, by name
     */
    void second(Phase second, Map<String, Double> series);

    /** Receives the change made by an order, with its time in milliseconds of the plan. */
    void changed(double atMillis, String what);
}
