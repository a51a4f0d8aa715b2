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
 * The real consumer loop in a world drawn from a seed: see {@link SimulatedWorld}. A failure names its seed; {@code
 * -Dweir.simulation.seed=N} replays it alone, {@code -Dweir.simulation.seeds=N} runs more, and {@code
 * -Dweir.simulation.events=TRUNCATION,LATEST} lets only these befall the topics.
 */
class ConsumerSimulationTest {

    /** Events of topics: all that the loop is known to withstand. */
    private static final Set<SimulatedEvent> EVENTS = EnumSet.allOf(SimulatedEvent.class);

    /** Worlds in which they may happen; 20,000 of them were run. */
    private static final int SEEDS_WITH_EVENTS = 5_000;

    /**
     * Up to here one class of them only, in turn: beside others, a small fault of one is rarely seen. 20,000 worlds of
     * each were run; those behind are as they were without events.
     */
    private static final int SEEDS_WITH_ONE_EVENT = 13_000;

    private static final int SEEDS_TO_FIND = 20_000;

    /** Each build runs every ninth of these, which is each class of events: there are four. */
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

    /**
     * Worlds that showed a fault which none of each build's worlds did: a group that starts at the end assigns the
     * partitions of a recreated topic before its new id is known.
     */
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
        simulate(0, 100_000, 1);
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

    /** A simulation that finds nothing may be blind: here it has something to find. */
    @ParameterizedTest
    @EnumSource
    @Timeout(60)
    void plantedFault_isFound(Planted fault) {
        Throwable found = found(fault, fault.shownBy);
        // The loop may have changed since, and with it what happens in a world.
        for (long seed = 0; seed < SEEDS_TO_FIND && found == null; seed++) {
            found = found(fault, seed);
        }
        assertThat(found).isInstanceOf(AssertionError.class);
    }

    private static @Nullable Throwable found(Planted fault, long seed) {
        return catchThrowable(() -> new SimulatedWorld(seed, Set.of(fault.in), Set.of(fault)).run());
    }
}
