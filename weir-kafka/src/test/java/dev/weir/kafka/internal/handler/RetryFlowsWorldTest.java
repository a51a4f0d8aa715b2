package dev.weir.kafka.internal.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Simulates flows with retry topics. The failure of a simulation names its seed. */
class RetryFlowsWorldTest {

    private static final int SOME = 300;
    private static final int MANY = 20_000;

    private static int run(long seed, boolean headersCountAnywhere) {
        try {
            return new RetryFlowsWorld(seed, headersCountAnywhere).run();
        } catch (RetryFlowsWorld.Violation violation) {
            throw new AssertionError("seed " + seed + ": " + violation.getMessage(), violation);
        }
    }

    private static long run(LongStream seeds) {
        return seeds.map(seed -> run(seed, false)).sum();
    }

    @Test
    void flows_inSomeWorlds_handleEachRecordUnderItsOwnOrigin_andThroughAllTiers() {
        long replayed = Long.getLong("weir.simulation.seed", -1);
        if (replayed >= 0) {
            assertThat(run(replayed, false)).isNotNegative();
            return;
        }
        assertThat(run(LongStream.range(0, SOME)))
                .as("records that came with the retry headers of another flow")
                .isGreaterThan(SOME);
    }

    @Tag("long")
    @Timeout(900)
    @Test
    void flows_inManyWorlds_handleEachRecordUnderItsOwnOrigin_andThroughAllTiers() {
        assertThat(run(LongStream.range(SOME, MANY))).isPositive();
    }

    @Test
    void plantedFault_isFound() {
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> {
                    for (long seed = 1; seed <= 20; seed++) {
                        int ignored = run(seed, true);
                    }
                })
                .withMessageContaining(" as flow");
    }
}
