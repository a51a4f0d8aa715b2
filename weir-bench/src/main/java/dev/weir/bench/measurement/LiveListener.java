package dev.weir.bench.measurement;

import dev.weir.bench.result.Phase;

/** Hears how a run that can be changed goes on, on its thread. */
public interface LiveListener {

    /** A second of it. */
    void second(Phase second);

    /** What was done by an order, at so many milliseconds of the plan. */
    void changed(double atMillis, String what);
}
