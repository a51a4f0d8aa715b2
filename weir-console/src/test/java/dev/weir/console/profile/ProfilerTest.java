package dev.weir.console.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import dev.weir.stream.Dispatcher;
import dev.weir.stream.RunningPipeline;
import example.burners.Burners;
import java.time.Duration;
import java.util.stream.Stream;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Planted burners, and what a profile says of them. Samples of the processor's time do not depend on other load. */
@Timeout(300)
class ProfilerTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** By then the compiler has done its work. */
    private static final int WARM = 2_000;

    private static final int ENOUGH = 2_000;

    static Stream<Dispatcher> dispatchers() {
        return Stream.of(Dispatcher.virtual(), Dispatcher.fixed("burning", 1));
    }

    private static boolean samplesCpuTime() {
        return System.getProperty("os.name").equals("Linux")
                && FlightRecorder.getFlightRecorder().getEventTypes().stream()
                        .map(EventType::getName)
                        .anyMatch("jdk.CPUTimeSample"::equals);
    }

    @ParameterizedTest
    @MethodSource("dispatchers")
    void shares_ofPlantedBurners_areWithinThreePoints(Dispatcher dispatcher) throws Exception {
        Profiler profiler = Profiler.create().time(Duration.ofSeconds(15)).period(Duration.ofMillis(2));
        assertShares(dispatcher, profiler, samplesCpuTime() ? "jdk.CPUTimeSample" : "jdk.ExecutionSample", 0.03);
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("dispatchers")
    void shares_byTheClock_areWithinFivePoints(Dispatcher dispatcher) throws Exception {
        Profiler profiler = Profiler.create()
                .time(Duration.ofSeconds(30))
                .period(Duration.ofMillis(10))
                .byTheClock();
        assertShares(dispatcher, profiler, "jdk.ExecutionSample", 0.05);
    }

    private static void assertShares(Dispatcher dispatcher, Profiler profiler, String sampler, double off)
            throws Exception {
        Burners burners = new Burners();
        try (dispatcher;
                RunningPipeline running = burners.run(dispatcher)) {
            await().atMost(PATIENCE).until(() -> burners.done.get() > WARM);
            Profile profile = profiler.recordThisProcess();
            // On a machine that gives it a tenth of a core; there is no bound on how busy a machine may be.
            for (int more = 0; profile.samples() < ENOUGH && more < 5; more++) {
                profile = profiler.recordThisProcess();
            }
            running.cancel();
            assertThat(profile.sampler()).isEqualTo(sampler);
            assertThat(profile.samples()).isGreaterThanOrEqualTo(ENOUGH);
            double all = profile.engineShare() + profile.clientShare() + profile.otherShare();
            Offset<Double> near = within(off);
            for (int percent : Burners.PERCENT) {
                StageProfile stage = stage(profile, "burn" + percent);
                assertThat(stage.cpuShare()).as(profile.stages().toString()).isCloseTo(percent / 100.0, near);
                assertThat(stage.top().getFirst().method()).isEqualTo("example.burners.Burners.burn");
                assertThat(stage.top().getFirst().selfShare()).isGreaterThan(0.5);
                all += stage.cpuShare();
            }
            assertThat(all).isCloseTo(1, within(1e-6));
            assertThat(profile.toJson()).doesNotContain("\"n\":\"dev.weir.stream.internal.operator.MapStage.pull\",\"v\":"
                    + profile.samples());
        }
    }

    private static StageProfile stage(Profile profile, String name) {
        return profile.stages().stream()
                .filter(stage -> stage.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void settings_outOfBounds_areRefused() {
        Profiler profiler = Profiler.create();
        assertThatThrownBy(() -> profiler.time(Duration.ofSeconds(61)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("time must be PT1S to PT1M");
        assertThatThrownBy(() -> profiler.period(Duration.ofMillis(0)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("period");
    }

    @Test
    void process_thatIsNone_isRefusedWithAWayOut() {
        assertThatThrownBy(() -> Profiler.create().recordProcess(999_999_999))
                .isInstanceOf(ProfileException.class)
                .hasMessage("there is no process 999999999");
    }
}
