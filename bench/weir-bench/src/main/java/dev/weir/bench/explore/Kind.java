package dev.weir.bench.explore;

import java.util.Locale;

/** The kinds of trials. */
public enum Kind {
    /** The members join before the load begins. The latency is then judged for a short time. */
    STEP,
    /** Like {@link #STEP}, but the latency is judged for a longer time. */
    HOLD,
    /** The load runs at full rate before the members join. */
    COLD_START,
    /** Half the members leave under load and rejoin. */
    RESTART,
    /** All members are paused for a while under load. */
    PAUSE;

    /** Returns the name in lower case with hyphens, for example {@code cold-start}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns whether the trial disturbs the system, which then has to recover. */
    public boolean isPerturbation() {
        return this != STEP && this != HOLD;
    }
}
