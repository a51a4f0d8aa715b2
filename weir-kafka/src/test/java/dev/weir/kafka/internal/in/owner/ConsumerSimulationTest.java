package dev.weir.kafka.internal.in.owner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.weir.kafka.internal.in.owner.SimulatedEvent.Planted;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests the real consumer loop in simulations generated from a seed (see {@link SimulatedWorld}). A failure names its
 * seed. {@code -Dweir.simulation.seed=N} replays one seed, {@code -Dweir.simulation.seeds=N} runs more of them, and
 * {@code -Dweir.simulation.events=TRUNCATION,LATEST} allows only these events.
 */
class ConsumerSimulationTest {

    /** Events that may happen to topics. */
    private static final Set<SimulatedEvent> EVENTS = EnumSet.allOf(SimulatedEvent.class);

    /** Seeds below this number allow all events at the same time. 20,000 such simulations have passed. */
    private static final int SEEDS_WITH_EVENTS = 5_000;

    /**
     * Seeds below this number allow one class of events each. Larger seeds allow no events. 20,000 simulations of each
     * class have passed.
     */
    private static final int SEEDS_WITH_ONE_EVENT = 13_000;

    private static final int SEEDS_TO_FIND = 20_000;

    /** The number of seeds. A build runs every ninth one, which includes seeds of all four classes of events. */
    private static final int SEEDS = 30_000;

    private static final int STEP = 9;

    @Test
    @Timeout(240)
    void consumer_randomWorlds_keepsItsPromises() {
        long only = Long.getLong("weir.simulation.seed", -1);
        if (only >= 0) {
            simulate(only);
            return;
        }
        Long all = Long.getLong("weir.simulation.seeds");
        if (all == null) {
            simulate(0, SEEDS, STEP);
        } else {
            simulate(0, all, 1);
        }
    }

    /** Seeds that found a fault: partitions of a recreated topic were assigned before its id was known. */
    @ParameterizedTest
    @ValueSource(longs = 1127)
    @Timeout(60)
    void consumer_worldThatOnceFoundAFault_keepsItsPromises(long seed) {
        simulate(seed);
    }

    @Test
    @Tag("long")
    @Timeout(900)
    void consumer_allRandomWorlds_keepsItsPromises() {
        simulate(0, 600_000, 1);
    }

    private static void simulate(long from, long to, long step) {
        for (long seed = from; seed < to; seed += step) {
            simulate(seed);
        }
    }

    private static void simulate(long seed) {
        try {
            new SimulatedWorld(seed, events(seed), SimulatedEvent.NO_FAULT).run();
        } catch (RuntimeException | AssertionError failure) {
            throw new AssertionError("replay with -Dweir.simulation.seed=" + seed, failure);
        }
    }

    private static Set<SimulatedEvent> events(long seed) {
        String named = System.getProperty("weir.simulation.events");
        if (named == null) {
            if (seed < SEEDS_WITH_EVENTS) {
                return EVENTS;
            }
            SimulatedEvent[] all = SimulatedEvent.values();
            return seed < SEEDS_WITH_ONE_EVENT ? Set.of(all[(int) (seed % all.length)]) : Set.of();
        }
        return Arrays.stream(named.split(",")).map(SimulatedEvent::valueOf).collect(Collectors.toSet());
    }

    @ParameterizedTest
    @EnumSource
    @Timeout(60)
    void plantedFault_isFound(Planted fault) {
        Throwable found = found(fault, fault.shownBy);
        // After a change of the loop, another seed may reveal the fault.
        for (long seed = 0; seed < SEEDS_TO_FIND && found == null; seed++) {
            found = found(fault, seed);
        }
        assertThat(found).isInstanceOf(AssertionError.class);
    }

    private static @Nullable Throwable found(Planted fault, long seed) {
        return catchThrowable(() -> new SimulatedWorld(seed, Set.of(fault.in), Set.of(fault)).run());
    }
}
