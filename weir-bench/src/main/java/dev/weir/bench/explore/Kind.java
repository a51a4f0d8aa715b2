package dev.weir.bench.explore;

import java.util.Locale;

/** The work of a trial besides sending at its rate. */
public enum Kind {
    /** Nothing: members join, then the load begins, and a short time is judged. */
    STEP,
    /** The same for a longer time. */
    HOLD,
    /** The load is there at its full rate before the members are. */
    COLD_START,
    /** Half the members leave amid the load and join again. */
    RESTART,
    /** All members stand still for a while amid the load. */
    PAUSE;

    /** Name in lower case with hyphens, for example {@code cold-start}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns whether the system is disturbed, and has to recover. */
    public boolean isPerturbation() {
        return this != STEP && this != HOLD;
    }
}
