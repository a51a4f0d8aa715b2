package dev.weir.lean;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.simulation.Planted;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests a lean consumer in simulations. {@code -Dweir.simulation.seed=N} replays one of them. */
class ConsumerWorldTest {

    private static final int MANY = 10_000;

    private static String run(long seed) {
        return LeanWorld.run(seed, each -> new ConsumerWorld(each, null));
    }

    @Test
    void consumer_inSomeWorlds_deliversEachRecordInOrder() {
        long replayed = Long.getLong("weir.simulation.seed", -1);
        LongStream seeds = replayed < 0 ? LongStream.range(0, 400) : LongStream.of(replayed);
        seeds.forEach(seed -> run(seed));
    }

    @Tag("long")
    @Test
    void consumer_inManyWorlds_deliversEachRecordInOrder() {
        LongStream.range(400, MANY).forEach(seed -> run(seed));
    }

    @ParameterizedTest
    @EnumSource(names = {"BATCH_SKIPPED", "ABORTED_UNTOLD", "EPOCHS_UNTOLD"})
    void plantedFault_isFound(Planted fault) {
        assertThat(LongStream.range(0, 400)
                        .anyMatch(seed -> LeanWorld.fails(seed, each -> new ConsumerWorld(each, fault))))
                .as("one of 400 worlds finds it")
                .isTrue();
    }

    @Test
    void world_ofTheSameSeed_goesTheSameWay() {
        assertThat(run(5)).isEqualTo(run(5)).isNotEqualTo(run(6));
    }
}
