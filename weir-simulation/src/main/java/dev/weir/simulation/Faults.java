package dev.weir.simulation;

import java.util.EnumSet;
import java.util.Random;
import java.util.Set;

/** The planted faults of a simulation. Confined to the simulation's thread. */
final class Faults {

    private static final int NOW_AND_THEN = 12;

    private final Set<Planted> planted = EnumSet.noneOf(Planted.class);
    private final Random random;

    Faults(Random random) {
        this.random = random;
    }

    void plant(Planted fault) {
        planted.add(fault);
    }

    boolean has(Planted fault) {
        return planted.contains(fault);
    }

    /** Draws whether a planted fault occurs now. Returns false if it is not planted. */
    boolean happens(Planted fault) {
        return !planted.isEmpty() && has(fault) && random.nextInt(NOW_AND_THEN) == 0;
    }
}
