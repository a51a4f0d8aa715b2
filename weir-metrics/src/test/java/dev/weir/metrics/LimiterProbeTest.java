package dev.weir.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.metrics.Limiter.Kind;
import dev.weir.stream.Ordering;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import dev.weir.stream.StageSnapshot;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LimiterProbeTest {

    private static final long SECOND = 1_000_000_000;

    @Test
    void runningPipeline_isLookedAt_untilItEnds() {
        CountDownLatch release = new CountDownLatch(1);
        RunningPipeline running = Source.range(0, 100_000)
                .mapBlocking(4, Ordering.unordered(), n -> {
                    release.await();
                    return n;
                })
                .named("price")
                .to(Sink.ignore())
                .named("probed")
                .run();
        try (LimiterProbe probe = LimiterProbe.start(running)) {
            await().atMost(Duration.ofSeconds(40))
                    .untilAsserted(() -> assertThat(probe.limiter().name()).isEqualTo("price"));
            assertThat(probe.limiter().kind()).isEqualTo(Kind.STAGE_WAIT);
            assertThat(probe.overall()).isNotNull();
            release.countDown();
            running.close();
            assertThat(probe.limiter()).isNotNull();
        }
        await().atMost(Duration.ofSeconds(40)).until(LimiterProbeTest::lookers, count -> count == 0);
    }

    private static long lookers() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("weir-limiter-probed"))
                .count();
    }

    @Test
    void overall_timeBeforeTheFirstRecordAndAfterTheLast_doesNotCount() {
        LimiterProbe.Verdicts verdicts = new LimiterProbe.Verdicts();
        verdicts.add(second(0, 0, 0.0));
        verdicts.add(second(1, 0, 0.0));
        assertThat(verdicts.longest()).isNotNull().extracting(Limiter::kind).isNotEqualTo(Kind.STAGE_CPU);
        verdicts.add(second(2, 1000, 1.0));
        verdicts.add(second(3, 0, 0.0));
        verdicts.add(second(4, 0, 0.0));
        verdicts.add(second(5, 0, 0.0));
        assertThat(verdicts.longest()).isNotNull().extracting(Limiter::kind).isEqualTo(Kind.STAGE_CPU);
    }

    @Test
    void overall_timeBetweenRecords_counts() {
        LimiterProbe.Verdicts verdicts = new LimiterProbe.Verdicts();
        verdicts.add(second(0, 1000, 1.0));
        verdicts.add(second(1, 0, 0.0));
        verdicts.add(second(2, 0, 0.0));
        verdicts.add(second(3, 0, 0.0));
        verdicts.add(second(4, 1000, 1.0));
        assertThat(verdicts.longest()).isNotNull().extracting(Limiter::kind).isNotEqualTo(Kind.STAGE_CPU);
    }

    /** A second in which one stage worked this share of the time. */
    private static List<PipelineLook> second(int number, long elements, double busy) {
        return List.of(look(number * SECOND, 0, 0), look((number + 1) * SECOND, elements, busy));
    }

    private static PipelineLook look(long atNanos, long elements, double busy) {
        StageSnapshot stage =
                StageSnapshot.of("parse", 1, elements, elements, (long) (busy * SECOND), 0, 0, 0, atNanos);
        return PipelineLook.of(atNanos, List.of(stage), List.of(), List.of(), List.of(), MachineLook.unknown(8));
    }
}
