package dev.weir.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CopyPassTest {
    private static final Command.Configure CONFIGURATION = new Command.Configure(
            "",
            Map.of(),
            "in",
            2,
            500,
            16,
            Scenario.COPY,
            Map.of("linger.ms", "5"),
            Map.of(PassOptions.GUARANTEE, PassOptions.EXACTLY_ONCE, PassOptions.IN_FLIGHT, "9"),
            1_000);

    private static final long ALLOCATED_BYTES = 256L << 20;

    /** Holds an allocated array, because the compiler may remove an unused allocation. */
    @SuppressWarnings("UnusedVariable") // nothing reads it
    private static volatile byte[] allocated = {};

    @Test
    void stepsOfSeveralThreads_endThePass() throws Exception {
        Pass pass = new Pass(CONFIGURATION, new Command.Start("g", 0, 3600, "out"));
        assertThat(pass.outputTopic()).isEqualTo("out");
        assertThat(pass.options().isExactlyOnce()).isTrue();
        Thread other = Thread.ofPlatform().start(() -> step(pass, 500));
        step(pass, 499);
        other.join();
        assertThat(pass.course().awaitFirst(0)).isNotNull();
        assertThat(pass.course().awaitEnd(0)).isFalse();
        pass.step(1);
        assertThat(pass.course().awaitEnd(0)).isTrue();
        assertThat(pass.isDone()).isTrue();
        Report.Passed passed = pass.result();
        assertThat(passed.complete()).isTrue();
        assertThat(passed.records()).isEqualTo(1_000);
        assertThat(passed.bytes()).isEqualTo(16_000);
        assertThat(passed.usage().voluntarySwitches())
                .as("threads that are gone have none")
                .isEqualTo(-1);
    }

    /**
     * The sampler thread has ended before the usage of a {@code COPY} pass is read. The thread's usage must not count.
     */
    @Test
    void usage_afterTheSamplerHasEnded_leavesItOut() throws Exception {
        Pass pass = new Pass(CONFIGURATION, new Command.Start("g", 0, 3600, "out"));
        pass.step(1);
        HarnessThreads.start("sampler", CopyPassTest::allocate).join();
        pass.course().endNow();
        assertThat(pass.result().usage().allocatedBytes()).isLessThan(ALLOCATED_BYTES);
    }

    private static void allocate() {
        for (int i = 0; i < ALLOCATED_BYTES >> 20; i++) {
            allocated = new byte[1 << 20];
        }
    }

    @Test
    void partition_standsBehindTheNumber_orBehindTheTimeOfAPlan() {
        byte[] value = new byte[20];
        ByteBuffer.wrap(value).putLong(5).putLong(3).putInt(4);
        assertThat(new Pass(CONFIGURATION, new Command.Start("g", 0, 1)).partition(value))
                .isEqualTo(3);
        Command.Configure planned = new Command.Configure(
                "", Map.of(), "in", 2, 500, 20, Scenario.COPY, Map.of(), Map.of(PassOptions.PARTITION_AT, "16"), 1_000);
        Pass pass = new Pass(planned, new Command.Start("g", 0, 1));
        assertThat(pass.partition(value)).isEqualTo(4);
        assertThat(pass.partition(pass.value(9, 77, 6))).isEqualTo(6);
        assertThat(new Pass(CONFIGURATION, new Command.Start("g", 0, 1)).value(9, 77, 6))
                .as("no room")
                .hasSize(16);
    }

    @Test
    void failure_isThrownBeforeOffsetsAreCommitted() {
        Pass pass = new Pass(CONFIGURATION, new Command.Start("g", 0, 3600, "out"));
        pass.requireNoFailure();
        pass.fail(new IllegalStateException("refused"));
        assertThatThrownBy(pass::requireNoFailure).hasMessageContaining("refused");
    }

    @Test
    void ownDefaults_areThoseOfTheLibrary() {
        Command.Configure own = CONFIGURATION.withOwnDefaults();
        assertThat(own.client()).isEmpty();
        assertThat(own.options()).containsOnlyKeys(PassOptions.GUARANTEE);
        assertThat(own.topic()).isEqualTo("in");
        assertThat(new Pass(own, new Command.Start("g", 0, 1)).options().inFlight())
                .isZero();
    }

    private static void step(Pass pass, int times) {
        byte[] value = pass.value(1);
        for (int i = 0; i < times; i++) {
            assertThat(pass.step(value)).isSameAs(value);
        }
    }
}
