package dev.weir.lean.internal.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lean.LeanWorld;
import dev.weir.simulation.Planted;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests a lean producer in simulations. {@code -Dweir.simulation.seed=N} replays one of them. */
class ProducerWorldTest {

    private static final int SOME = 350;
    private static final int MANY = 10_000;

    private static String run(long seed) {
        return LeanWorld.run(seed, each -> new ProducerWorld(each, null));
    }

    @Test
    void producer_inSomeWorlds_writesEachRecordInOrder() {
        long replayed = Long.getLong("weir.simulation.seed", -1);
        LongStream seeds = replayed < 0 ? LongStream.range(0, SOME) : LongStream.of(replayed);
        seeds.forEach(seed -> run(seed));
    }

    @Tag("long")
    @Test
    void producer_inManyWorlds_writesEachRecordInOrder() {
        LongStream.range(SOME, MANY).forEach(seed -> run(seed));
    }

    @ParameterizedTest
    @EnumSource(names = {"NOT_WRITTEN", "REPETITIONS_WRITTEN", "SEQUENCES_IGNORED", "OFFSETS_MIXED_UP"})
    void plantedFault_isFound(Planted fault) {
        assertThat(LongStream.range(0, SOME)
                        .anyMatch(seed -> LeanWorld.fails(seed, each -> new ProducerWorld(each, fault))))
                .as("one of %d worlds finds it", SOME)
                .isTrue();
    }

    @Test
    void world_ofTheSameSeed_goesTheSameWay() {
        assertThat(run(5)).isEqualTo(run(5)).isNotEqualTo(run(6));
    }
}
