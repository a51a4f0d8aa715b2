package dev.weir.console.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import dev.weir.stream.Dispatcher;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.spi.Thrown;
import example.burners.Burners;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.Stream;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests profiles of planted burners. Samples of processor time do not depend on other load. */
@Timeout(600)
class ProfilerTest {

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /** Elements until the JVM's compiler is done. */
    private static final int WARM = 2_000;

    /** Number of samples for an error of less than 3 points in the share of 40 %. */
    private static final int ENOUGH = 5_000;

    /** Number of samples for an error of less than 5.5 points in the share of 40 %. */
    private static final int ENOUGH_FOR_SIX = 1_500;

    /** Maximum number of profiles to add up. */
    private static final int MOST_PROFILES = 30;

    static Stream<Dispatcher> dispatchers() {
        return Stream.of(Dispatcher.virtual(), Dispatcher.fixed("burning", 2));
    }

    private static boolean samplesCpuTime() {
        return System.getProperty("os.name").equals("Linux")
                && FlightRecorder.getFlightRecorder().getEventTypes().stream()
                        .map(EventType::getName)
                        .anyMatch("jdk.CPUTimeSample"::equals);
    }

    @Test
    void shares_ofPlantedBurners_areWithinSixPoints() throws Exception {
        assertSharesByTheProcessor(
                Dispatcher.virtual(),
                Duration.ofMillis(3_200),
                ENOUGH_FOR_SIX,
                share -> 0.06 * Math.sqrt(share * (1 - share) / (0.4 * 0.6)));
    }

    @Tag("long")
    @Test
    void shares_ofPlantedBurners_areWithinThreePoints() throws Exception {
        assertSharesByTheProcessor(Dispatcher.virtual(), Duration.ofSeconds(15), ENOUGH, share -> 0.03);
    }

    @Tag("long")
    @Test
    void shares_ofPlantedBurnersOnAPool_areWithinThreePoints() throws Exception {
        assertSharesByTheProcessor(Dispatcher.fixed("burning", 2), Duration.ofSeconds(15), ENOUGH, share -> 0.03);
    }

    private static void assertSharesByTheProcessor(
            Dispatcher dispatcher, Duration time, int enough, DoubleUnaryOperator off) throws Exception {
        String sampler = samplesCpuTime() ? "jdk.CPUTimeSample" : "jdk.ExecutionSample";
        assertShares(dispatcher, time, Profiler.create().period(Duration.ofMillis(1)), sampler, enough, off);
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("dispatchers")
    void shares_byTheClock_areWithinFivePoints(Dispatcher dispatcher) throws Exception {
        Profiler profiler = Profiler.create().period(Duration.ofMillis(10)).byTheClock();
        assertShares(dispatcher, Duration.ofSeconds(30), profiler, "jdk.ExecutionSample", ENOUGH, share -> 0.05);
    }

    private static void assertShares(
            Dispatcher dispatcher,
            Duration time,
            Profiler profiler,
            String sampler,
            int enough,
            DoubleUnaryOperator off)
            throws Exception {
        Burners burners = new Burners(0);
        try (dispatcher;
                RunningPipeline running = burners.run(dispatcher);
                // A second run of the same stages doubles the samples.
                RunningPipeline another = burners.run(dispatcher)) {
            await().atMost(PATIENCE).until(() -> burners.done.get() > WARM);
            List<Profile> profiles = new ArrayList<>();
            long samples = 0;
            // The kernel's tick and other processes limit the samples per second.
            while (samples < enough && profiles.size() < MOST_PROFILES) {
                Profile profile = profiler.time(time).recordThisProcess();
                profiles.add(profile);
                samples += profile.samples();
            }
            running.cancel();
            another.cancel();
            assertThat(samples).isGreaterThanOrEqualTo(enough);
            profiles.forEach(profile -> assertWhole(profile, sampler));
            for (int percent : Burners.PERCENT) {
                double share = percent / 100.0;
                double seen = 0;
                for (Profile profile : profiles) {
                    seen += stage(profile, "burn" + percent).cpuShare() * profile.samples() / samples;
                }
                assertThat(seen)
                        .as(profiles.stream().map(Profile::stages).toList().toString())
                        .isCloseTo(share, within(off.applyAsDouble(share)));
            }
        }
    }

    private static void assertWhole(Profile profile, String sampler) {
        assertThat(profile.sampler()).isEqualTo(sampler);
        double all = profile.engineShare() + profile.clientShare() + profile.otherShare();
        for (int percent : Burners.PERCENT) {
            StageProfile stage = stage(profile, "burn" + percent);
            assertThat(stage.top().getFirst().method()).isEqualTo("example.burners.Burners.burn");
            assertThat(stage.top().getFirst().selfShare()).isGreaterThan(0.5);
            all += stage.cpuShare();
        }
        assertThat(all).isCloseTo(1, within(1e-6));
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

    @Test
    void process_thatIsNoJvm_isRefusedWithoutItsCommandLine() throws Exception {
        Process process = new ProcessBuilder("cat", "--", "-", "password=planted").start();
        try {
            assertThatThrownBy(() -> Profiler.create().recordProcess(process.pid()))
                    .isInstanceOf(ProfileException.class)
                    .satisfies(refused -> assertThat(Thrown.stackTrace(refused))
                            .contains("is not a JVM that can be asked")
                            .doesNotContain("planted"));
        } finally {
            process.destroyForcibly();
        }
    }
}
