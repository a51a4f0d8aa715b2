package dev.weir.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.metrics.Limiter.Confidence;
import dev.weir.metrics.Limiter.Kind;
import dev.weir.stream.Ordering;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests limiters while the test's threads keep all processors busy. Regression: these limiters were reported wrongly or
 * vaguely.
 */
@Timeout(60)
class PlantedOnABusyMachineTest {

    private static final int MANY = 1_000_000;

    private final CountDownLatch never = new CountDownLatch(1);
    private final List<Thread> burners = new ArrayList<>();

    @BeforeEach
    void burn() {
        burners.add(Thread.ofPlatform().daemon().start(() -> {
            while (!Thread.currentThread().isInterrupted()) {
                Thread.onSpinWait();
            }
        }));
    }

    @AfterEach
    void end() {
        burners.forEach(Thread::interrupt);
        never.countDown();
    }

    private <T> T waits(T element, long millis) {
        try {
            boolean ignored = never.await(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return element;
    }

    private static Source<Integer> many() {
        return Source.range(0, MANY).named("numbers");
    }

    private static Sink<Object> out() {
        return Sink.<Object>forEach(n -> {}).named("out");
    }

    private static Limiter awaitLimiter(Pipeline pipeline, Kind kind, String name) {
        try (RunningPipeline running = pipeline.named("planted").run();
                LimiterProbe probe = LimiterProbe.start(running)) {
            try {
                await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
                    Limiter found = probe.limiter();
                    assertThat(found.kind()).as("%s", found).isEqualTo(kind);
                    assertThat(found.name()).as("%s", found).isEqualTo(name);
                });
                assertShares(probe.limiter().stages());
                return probe.limiter();
            } finally {
                running.cancel();
            }
        }
    }

    private static void assertShares(List<StageTime> stages) {
        assertThat(stages).isNotEmpty();
        for (StageTime each : stages) {
            List<Double> shares = List.of(
                    each.computing(),
                    each.locked(),
                    each.io(),
                    each.asleep(),
                    each.waitingOther(),
                    each.elsewhere(),
                    each.paused(),
                    each.starved(),
                    each.sibling(),
                    each.blocked(),
                    each.unknown());
            assertThat(shares).as("%s", each).allMatch(share -> share >= 0 && share <= 1);
            assertThat(shares.stream().mapToDouble(Double::doubleValue).sum())
                    .as("%s", each)
                    .isBetween(0.999, 1.001);
        }
    }

    @Test
    void lanesThatWait_getMoreLanes_whateverTheProcessorsDo() {
        Limiter limiter = awaitLimiter(
                many().mapBlocking(8, Ordering.unordered(), n -> waits(n, 20))
                        .named("price")
                        .to(out()),
                Kind.STAGE_WAIT,
                "price");
        assertThat(limiter.expectedGain()).isGreaterThanOrEqualTo(2);
        assertThat(limiter.lever().kind()).isEqualTo(Lever.Kind.PARALLELISM);
    }

    @Test
    void callThatBlocksInAPlainMap_isNamed_thoughItsBatchTakesAMinute() {
        Limiter limiter = awaitLimiter(
                many().map(n -> n + 1)
                        .named("first")
                        .map(n -> waits(n, 100))
                        .named("look up")
                        .map(n -> n + 1)
                        .named("last")
                        .to(out()),
                Kind.STAGE_WAIT,
                "look up");
        assertThat(limiter.lever().kind()).isEqualTo(Lever.Kind.OWN_THREADS);
    }

    @Test
    void callThatBlocksInASink_isNamed_andGetsNoMapBlockingOfItsOwn() {
        Limiter limiter = awaitLimiter(
                many().map(n -> n + 1)
                        .named("first")
                        .to(Sink.<Integer>forEach(n -> waits(n, 10)).named("store")),
                Kind.STAGE_WAIT,
                "store");
        assertThat(limiter.advice()).contains("a mapBlocking stage above it");
    }

    @Test
    void slowBranchOfABroadcast_isNamed_firstOrLast() {
        Function<Source<Integer>, Source<Integer>> fast =
                branch -> branch.map(n -> n).named("fast");
        Function<Source<Integer>, Source<Integer>> slow =
                branch -> branch.map(n -> waits(n, 5)).named("slow");
        awaitLimiter(many().broadcast(List.of(fast, slow)).to(out()), Kind.STAGE_WAIT, "slow");
        awaitLimiter(many().broadcast(List.of(slow, fast)).to(out()), Kind.STAGE_WAIT, "slow");
    }

    @Test
    void slowSinkOfABroadcast_isNamed() {
        awaitLimiter(
                many().broadcastTo(
                                Sink.<Integer>forEach(n -> {}).named("fast"),
                                Sink.<Integer>forEach(n -> waits(n, 5)).named("slow")),
                Kind.STAGE_WAIT,
                "slow");
    }

    @Test
    void slowStageWithinGroupBy_isNamed() {
        awaitLimiter(
                many().groupBy(
                                n -> n % 5,
                                10,
                                group -> group.map(n -> waits(n, 5)).named("inner"))
                        .named("groups")
                        .to(out()),
                Kind.STAGE_WAIT,
                "inner");
    }

    @Test
    void hotKey_isNamedAtOnce() {
        awaitLimiter(
                many().mapBlocking(16, Ordering.<Integer>byKey(n -> n % 10 < 6 ? -1 : n % 50), n -> waits(n, 5))
                        .named("charge")
                        .to(out()),
                Kind.KEY_SKEW,
                "charge");
    }

    @Test
    void evenKeys_areNoSkew_thoughThereAreMoreLanesThanKeys() {
        Limiter limiter = awaitLimiter(
                many().mapBlocking(400, Ordering.<Integer>byKey(n -> n % 200), n -> waits(n, 5))
                        .named("charge")
                        .to(out()),
                Kind.STAGE_WAIT,
                "charge");
        assertThat(limiter.advice()).doesNotContain("split");
        assertThat(limiter.expectedGain()).isEqualTo(1);
    }

    @Test
    void ratePerKey_isNamed() {
        Limiter limiter = awaitLimiter(
                many().throttlePerKey(10, Duration.ofSeconds(1), 1, n -> n % 3)
                        .named("calm")
                        .to(out()),
                Kind.STAGE_WAIT,
                "calm");
        assertThat(limiter.advice()).isEqualTo("raise the rate of calm");
    }

    @Test
    void firstMoment_isMeasured() {
        try (RunningPipeline running = many().map(n -> waits(n, 1)).to(out()).run();
                LimiterProbe probe = LimiterProbe.start(running)) {
            Limiter limiter = probe.limiter();
            assertThat(limiter.kind()).isEqualTo(Kind.MEASURING);
            assertThat(limiter.confidence()).isEqualTo(Confidence.MEASURING);
            running.cancel();
        }
    }
}
