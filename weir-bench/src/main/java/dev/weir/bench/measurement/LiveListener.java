package dev.weir.bench.measurement;

import dev.weir.bench.result.Phase;
import java.util.Map;

/** Hears how a run that can be changed goes on, on its thread. */
public interface LiveListener {

    /**
     * A second of it.
     *
     * @param series what clients, brokers and the machine were at, by name
     */
    void second(Phase second, Map<String, Double> series);

    /** Hears of the change by an order, at so many milliseconds of the plan. */
    void changed(double atMillis, String what);
}
