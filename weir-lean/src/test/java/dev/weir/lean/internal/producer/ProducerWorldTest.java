package dev.weir.lean.internal.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.simulation.Planted;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A lean producer in simulated worlds: {@code -Dweir.simulation.seed=N} replays one. */
class ProducerWorldTest {

    private static final int SOME = 700;
    private static final int MANY = 10_000;

    private static String run(long seed, @Nullable Planted planted) {
        try (ProducerWorld world = new ProducerWorld(seed, planted)) {
            world.run();
            return world.course();
        } catch (Throwable e) {
            throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
        }
    }

    @Test
    void producer_inSomeWorlds_writesEachRecordInOrder() {
        long replayed = Long.getLong("weir.simulation.seed", -1);
        LongStream seeds = replayed < 0 ? LongStream.range(0, SOME) : LongStream.of(replayed);
        seeds.forEach(seed -> run(seed, null));
    }

    @Tag("long")
    @Test
    void producer_inManyWorlds_writesEachRecordInOrder() {
        LongStream.range(SOME, MANY).forEach(seed -> run(seed, null));
    }

    @ParameterizedTest
    @EnumSource(names = {"NOT_WRITTEN", "REPETITIONS_WRITTEN", "SEQUENCES_IGNORED", "OFFSETS_MIXED_UP"})
    void plantedFault_isFound(Planted fault) {
        assertThat(LongStream.range(0, SOME).anyMatch(seed -> fails(seed, fault)))
                .as("one of %d worlds finds it", SOME)
                .isTrue();
    }

    private static boolean fails(long seed, Planted fault) {
        try {
            run(seed, fault);
            return false;
        } catch (AssertionError found) {
            return true;
        }
    }

    @Test
    void world_ofTheSameSeed_goesTheSameWay() {
        assertThat(run(5, null)).isEqualTo(run(5, null)).isNotEqualTo(run(6, null));
    }
}
