package dev.weir.kafka.internal.consumer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The real consumer loop in a world drawn from a seed: see {@link SimulatedWorld}. A failure names its seed; {@code
 * -Dweir.simulation.seed=N} replays it alone, {@code -Dweir.simulation.seeds=N} runs more.
 */
class ConsumerSimulationTest {

    @Test
    @Timeout(240)
    void consumer_randomWorlds_keepsItsPromises() {
        long only = Long.getLong("weir.simulation.seed", -1);
        if (only >= 0) {
            simulate(only);
            return;
        }
        long seeds = Long.getLong("weir.simulation.seeds", 100_000);
        for (long seed = 0; seed < seeds; seed++) {
            simulate(seed);
        }
    }

    private static void simulate(long seed) {
        try {
            new SimulatedWorld(seed).run();
        } catch (RuntimeException | AssertionError failure) {
            throw new AssertionError("replay with -Dweir.simulation.seed=" + seed, failure);
        }
    }
}
