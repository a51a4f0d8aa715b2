package dev.weir.lean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.weir.simulation.Planted;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A lean consumer in simulated worlds: {@code -Dweir.simulation.seed=N} replays one. */
class ConsumerWorldTest {

    private static final int MANY = 10_000;

    private static void run(long seed, @Nullable Planted planted) {
        try (ConsumerWorld world = new ConsumerWorld(seed, planted)) {
            world.run();
        } catch (Throwable e) {
            throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
        }
    }

    @Test
    void consumer_inSomeWorlds_deliversEachRecordInOrder() {
        long replayed = Long.getLong("weir.simulation.seed", -1);
        LongStream seeds = replayed < 0 ? LongStream.range(0, 400) : LongStream.of(replayed);
        seeds.forEach(seed -> run(seed, null));
    }

    @Tag("long")
    @Test
    void consumer_inManyWorlds_deliversEachRecordInOrder() {
        LongStream.range(400, MANY).forEach(seed -> run(seed, null));
    }

    @ParameterizedTest
    @EnumSource(names = {"BATCH_SKIPPED", "ABORTED_UNTOLD", "EPOCHS_UNTOLD"})
    void plantedFault_isFound(Planted fault) {
        assertThat(LongStream.range(0, 400).anyMatch(seed -> fails(seed, fault)))
                .as("one of 400 worlds finds it")
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
        assertThatCode(() -> run(5, null)).doesNotThrowAnyException();
        assertThat(course(5)).isEqualTo(course(5));
    }

    private static String course(long seed) {
        try (ConsumerWorld world = new ConsumerWorld(seed, null)) {
            world.run();
            return world.course();
        }
    }
}
