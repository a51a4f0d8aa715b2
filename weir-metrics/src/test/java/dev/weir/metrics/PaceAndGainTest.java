package dev.weir.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.kafka.ShareHandle;
import dev.weir.metrics.Limiter.Kind;
import dev.weir.metrics.PipelineLook.PaceLook;
import dev.weir.stream.Dispatcher;
import dev.weir.stream.DispatcherSnapshot;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import dev.weir.stream.StageSnapshot;
import dev.weir.stream.StageSnapshot.Activity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests rate limits, the figures of share groups, and the gain of followed advice. */
class PaceAndGainTest {

    private static final long TENTH = 100_000_000;
    private static final DispatcherSnapshot VIRTUAL =
            DispatcherSnapshot.of("virtual", Dispatcher.Kind.VIRTUAL, Integer.MAX_VALUE, 8, 8, 0, 0);

    private static StageSnapshot stage(String name, int parallelism, long out, long busyNanos, long atNanos) {
        return StageSnapshot.of(name, parallelism, out, out, busyNanos, 0, 0, 0, atNanos);
    }

    private static PipelineLook paced(long atNanos, PaceLook pace) {
        return PipelineLook.of(
                atNanos,
                List.of(stage("consume", 1, atNanos / 1_000_000, 0, atNanos)),
                List.of(),
                List.of(),
                List.of(),
                List.of(pace),
                List.of(),
                MachineLook.unknown(8));
    }

    @Test
    void rateOfASource_thatHoldsRecordsBack_isNamed() {
        Limiter limiter = LimiterFinder.find(
                paced(0, PaceLook.of("consume", 500, 5, true)),
                paced(10 * TENTH, PaceLook.of("consume", 500, 5 + 9 * TENTH, true)));
        assertThat(limiter.kind()).isEqualTo(Kind.STAGE_WAIT);
        assertThat(limiter.name()).isEqualTo("consume");
        assertThat(limiter.sentence())
                .isEqualTo("consume lets 500 a second pass, and elements wait for that 90 % of the time");
        assertThat(limiter.advice()).contains("source.rate");
    }

    @Test
    void rateThatNobodyWaitsFor_isNotNamed() {
        Limiter limiter = LimiterFinder.find(
                paced(0, PaceLook.of("consume", 500, 0, true)),
                paced(10 * TENTH, PaceLook.of("consume", 500, 3 * TENTH, true)));
        assertThat(limiter.sentence()).doesNotContain("a second pass");
    }

    /** Uses figures of a running throttle. */
    @Test
    @Timeout(120)
    void throttle_thatHoldsAPipelineDown_isNamed() throws InterruptedException {
        try (RunningPipeline running = Source.repeat("x")
                        .throttle(20, Duration.ofSeconds(1))
                        .to(Sink.ignore())
                        .run();
                Planted planted = new Planted(running, new CountDownLatch(1)).fromTheStart()) {
            Limiter limiter = planted.awaitLimiter(Kind.STAGE_WAIT, "throttle");
            assertThat(limiter.sentence()).startsWith("throttle lets 20");
            assertThat(limiter.advice()).isEqualTo("raise the rate of throttle");
        }
    }

    @Test
    void shareGroupsLimit_isTakenOver() {
        var limit = ShareHandle.Limit.of("share-credits", "64 credits", "lanes starve", "more lanes", 40);
        var member = ShareHandle.Snapshot.builder()
                .lag(9)
                .lanes(1)
                .pollRecords(1)
                .acquireMode("batch")
                .workers(8)
                .limit(limit)
                .build();
        PipelineLook look = PipelineLook.of(
                0, List.of(), List.of(), List.of(), List.of(), List.of(), List.of(member), MachineLook.unknown(8));
        Limiter limiter = LimiterFinder.find(look, look);
        assertThat(limiter.kind()).isEqualTo(Kind.SHARE_CREDITS);
        assertThat(limiter.name()).isEqualTo("64 credits");
        assertThat(limiter.expectedGain()).isEqualTo(Interval.MOST_GAIN);
    }

    /**
     * Returns a reading of a stage with all workers waiting in their handlers, at a hundred elements per second each.
     */
    private static PipelineLook waiting(
            long number, int lanes, long out, double busy, List<PipelineLook.ConsumerLook> consumers) {
        long at = number * TENTH;
        return PipelineLook.of(
                at,
                List.of(stage("price", lanes, out, (long) (busy * TENTH), at)),
                List.of(Activity.of("price", null, VIRTUAL, lanes, lanes, 500, 0, "", 0)),
                consumers,
                List.of(),
                MachineLook.unknown(8));
    }

    private static Gains afterRaise(int from, int to, double factor) {
        return afterRaise(from, to, factor, number -> List.of());
    }

    private static Gains afterRaise(
            int from, int to, double factor, IntFunction<List<PipelineLook.ConsumerLook>> consumers) {
        Gains gains = new Gains();
        List<PipelineLook> before = new ArrayList<>();
        long out = 0;
        double busy = 0;
        for (int number = 0; number < 60; number++) {
            int lanes = number < 20 ? from : to;
            PipelineLook look = waiting(number, lanes, out, busy, consumers.apply(number));
            if (!before.isEmpty()) {
                gains.look(before, look);
            }
            before.add(look);
            out += Math.round(100 * (number < 20 ? 1 : factor));
            busy += lanes;
            if (number < 50) {
                assertThat(gains.measured()).isNull();
            }
        }
        return gains;
    }

    @Test
    void adviceThatWasFollowed_isMeasured() {
        assertThat(afterRaise(8, 24, 2.5).measured()).isCloseTo(2.5, within(0.01));
    }

    /** 500 records arrive per second. After the backlog, they limit the rate. */
    @Test
    void adviceThatWasFollowed_gainsNoMoreThanWhatLasts() {
        Gains gains = afterRaise(
                8, 24, 2.5, number -> StubLooks.consumer(StubLooks.partition(0).lag(12_000 - 200 * number)));
        assertThat(gains.measured()).isEqualTo(1);
        gains = afterRaise(
                8, 24, 2.5, number -> StubLooks.consumer(StubLooks.partition(0).lag(20_000 - 100 * number)));
        assertThat(gains.measured()).isCloseTo(2.5, within(0.01));
    }

    @Test
    void settingThatWasLowered_isNoAdviceFollowed() {
        assertThat(afterRaise(8, 4, 0.5).measured()).isNull();
    }
}
