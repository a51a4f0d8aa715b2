package dev.weir.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.weir.metrics.Limiter;
import dev.weir.metrics.LimiterProbe;
import dev.weir.metrics.StageTime;
import dev.weir.stream.Ordering;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import dev.weir.stream.StageSnapshot;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the limiter of a console that was started as in an application. */
@Timeout(60)
class ConsoleLimiterTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** Never has a permit: each wait times out. */
    private final Semaphore never = new Semaphore(0);

    private RunningPipeline run(String stage) {
        return Source.range(0, Long.MAX_VALUE)
                .mapBlocking(2, Ordering.input(), number -> {
                    boolean ignored = never.tryAcquire(5, TimeUnit.MILLISECONDS);
                    return number;
                })
                .named(stage)
                .to(Sink.ignore())
                .run();
    }

    private static long probes() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("weir-limiter-"))
                .count();
    }

    private static void awaitLimiter(Asker asker, String name) {
        await().atMost(PATIENCE).untilAsserted(() -> {
            JsonNode limiter = asker.json("/api/state").path("limiter");
            assertThat(limiter.path("kind").asText()).isEqualTo("stage-wait");
            assertThat(limiter.path("name").asText()).isEqualTo(name);
        });
    }

    @Test
    void console_startedOnAPipeline_namesItsLimiter_andEndsTheProbeWithItself() throws Exception {
        try (RunningPipeline running = run("look up")) {
            try (ConsoleServer console = ConsoleServer.builder().start(running);
                    Asker asker = new Asker(console)) {
                awaitLimiter(asker, "look up");
                assertThat(probes()).isEqualTo(1);
            }
            assertThat(probes()).isZero();
        }
    }

    @Test
    void console_shownAnotherPipeline_namesTheLimiterOfThat_withOneProbe() throws Exception {
        try (RunningPipeline first = run("first");
                RunningPipeline second = run("second");
                ConsoleServer console = ConsoleServer.builder().start();
                Asker asker = new Asker(console)) {
            console.show(first);
            console.show(second);
            awaitLimiter(asker, "second");
            assertThat(probes()).isEqualTo(1);
            Limiter given = Limiter.of(Limiter.Kind.STAGE_WAIT, "given", "it waits", "wait", 1);
            console.show(first, () -> given);
            assertThat(probes()).isZero();
            awaitLimiter(asker, "given");
        }
    }

    /** Regression: the page gave 12 % for a stage, and its headline 17 %. */
    @Test
    void stages_areToldByTheAccountOfTheFinding() throws Exception {
        try (RunningPipeline running = run("look up");
                LimiterProbe probe = LimiterProbe.start(running);
                ConsoleServer console = ConsoleServer.builder().start();
                Asker asker = new Asker(console)) {
            await().atMost(PATIENCE).until(() -> probe.limiter().kind() == Limiter.Kind.STAGE_WAIT);
            Limiter finding = probe.limiter();
            console.show(running, () -> finding);
            awaitLimiter(asker, "look up");
            JsonNode state = asker.json("/api/state");
            assertThat(state.path("figures").path("seconds").asDouble()).isCloseTo(finding.seconds(), within(0.051));
            for (JsonNode stage : state.path("stages")) {
                StageTime time =
                        Objects.requireNonNull(finding.stage(stage.path("name").asText()));
                assertThat(stage.path("busy_share").asDouble()).isCloseTo(time.working(), within(0.0005));
                assertThat(stage.path("blocked_up_share").asDouble()).isCloseTo(time.starved(), within(0.0005));
                assertThat(stage.path("blocked_down_share").asDouble()).isCloseTo(time.blocked(), within(0.0005));
                assertThat(stage.path("recent_out_per_second").asDouble())
                        .isCloseTo(time.outPerSecond(), within(0.0005));
                double sum = 0;
                for (JsonNode share : stage.path("shares")) {
                    sum += share.asDouble();
                }
                assertThat(sum).as("%s", stage).isCloseTo(1, within(0.01));
            }
        }
    }

    @Test
    void show_afterTheConsoleWasClosed_leavesNoProbe() throws Exception {
        try (RunningPipeline running = run("late")) {
            ConsoleServer console = ConsoleServer.builder().start();
            console.close();
            console.show(running);
            assertThat(probes()).isZero();
        }
    }

    @Test
    void state_whoseLimiterCannotBeFound_isToldWithout() throws Exception {
        StubPipeline pipeline = new StubPipeline("orders");
        AtomicLong seconds = new AtomicLong();
        // The counters must advance with each reading, or the stage has no share.
        pipeline.counters = () -> {
            long n = seconds.incrementAndGet();
            return List.of(
                    StageSnapshot.of("price", 4, 100 * n, 90 * n, 500_000_000L * n, 0, 0, 7, 1_000_000_000L * n));
        };
        try (ConsoleServer console = ConsoleServer.builder().start();
                Asker asker = new Asker(console)) {
            console.show(pipeline, () -> {
                throw new IllegalStateException("broken by the test");
            });
            await().atMost(PATIENCE)
                    .until(() -> asker.json("/api/state").path("look").asInt() >= 2);
            JsonNode state = asker.json("/api/state");
            assertThat(state.path("limiter").isNull()).isTrue();
            assertThat(state.path("stages").get(0).path("busy_share").asDouble())
                    .isPositive();
        }
    }
}
