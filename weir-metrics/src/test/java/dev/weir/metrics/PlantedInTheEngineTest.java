package dev.weir.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.kafka.RecordOrdering;
import dev.weir.metrics.Limiter.Kind;
import dev.weir.stream.Attributes;
import dev.weir.stream.Backoff;
import dev.weir.stream.Dispatcher;
import dev.weir.stream.Ordering;
import dev.weir.stream.RetryPolicy;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.SinkQueue;
import dev.weir.stream.Source;
import dev.weir.stream.SourceQueue;
import dev.weir.stream.StageSnapshot.Activity;
import dev.weir.stream.Supervision;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Plants bottlenecks in real pipelines. Handlers wait for a latch, or compute until it opens. */
@Timeout(60)
class PlantedInTheEngineTest {

    private static final int MANY = 1_000_000;

    private final CountDownLatch release = new CountDownLatch(1);

    private <T> T blocks(T element) throws InterruptedException {
        release.await();
        return element;
    }

    private <T> T computes(T element) {
        while (release.getCount() > 0) {
            Thread.onSpinWait();
        }
        return element;
    }

    private Planted planted(Source<?> source) {
        return new Planted(
                source.to(Sink.<Object>forEach(n -> {}).named("out"))
                        .named("planted")
                        .run(),
                release);
    }

    @Test
    void lanesThatAllWait_areStageWait_andGetMoreLanes() {
        try (Planted planted = planted(Source.range(0, MANY)
                .mapBlocking(4, Ordering.unordered(), this::blocks)
                .named("price"))) {
            Limiter limiter = planted.awaitLimiter(Kind.STAGE_WAIT, "price");
            assertThat(limiter.advice()).isEqualTo("raise the parallelism of price from 4 to 64");
            assertThat(limiter.sentence()).contains("4.0 of 4 threads at work, which wait 100 %");
            assertThat(limiter.expectedGain()).isEqualTo(Interval.MOST_GAIN);
        }
    }

    @Test
    void lanesBehindOneLock_areStageWait_andGetNoMoreLanes() {
        ReentrantLock connection = new ReentrantLock();
        try (Planted planted = planted(Source.range(0, MANY)
                .mapBlocking(8, Ordering.unordered(), n -> {
                    connection.lockInterruptibly();
                    try {
                        return blocks(n);
                    } finally {
                        connection.unlock();
                    }
                })
                .named("ledger"))) {
            Limiter limiter = planted.awaitLimiter(Kind.STAGE_WAIT, "ledger");
            assertThat(limiter.sentence()).contains("8.0 of 8 threads at work").endsWith("7.0 of them for one lock");
            assertThat(limiter.advice()).startsWith("do less of ledger under its lock");
        }
    }

    @Test
    void oneLaneInInputOrder_isStageWait() {
        try (Planted planted = planted(Source.range(0, MANY)
                .mapBlocking(1, Ordering.input(), this::blocks)
                .named("price"))) {
            planted.awaitLimiter(Kind.STAGE_WAIT, "price");
        }
    }

    /** Regression: the advice was to raise the parallelism of a stage without such a control. */
    @Test
    void sequentialStage_isStageWait_andGetsNoMoreThreads() {
        try (Planted planted =
                planted(Source.range(0, MANY).mapBlocking(this::blocks).named("store"))) {
            Limiter limiter = planted.awaitLimiter(Kind.STAGE_WAIT, "store");
            assertThat(limiter.advice())
                    .isEqualTo("shorten what store waits for: it processes one element at a time, in order");
            assertThat(limiter.expectedGain()).isEqualTo(1);
        }
    }

    @Test
    void callsThatHaveNoAnswer_areStageWait() {
        try (Planted planted = planted(Source.range(0, MANY)
                .mapAsync(3, n -> new CompletableFuture<Integer>())
                .named("fetch price"))) {
            Limiter limiter = planted.awaitLimiter(Kind.STAGE_WAIT, "fetch price");
            assertThat(limiter.advice()).contains("from 3 to ");
        }
    }

    @Test
    void fusedFunctionThatWaits_isStageWait_andGetsThreadsOfItsOwn() {
        try (Planted planted = planted(Source.range(0, MANY)
                .filter(n -> n >= 0)
                .named("positive")
                .map(this::awaitUnchecked)
                .named("look up"))) {
            Limiter limiter = planted.awaitLimiter(Kind.STAGE_WAIT, "look up");
            assertThat(limiter.advice()).contains("its own threads", "mapBlocking");
        }
    }

    private Integer awaitUnchecked(Integer element) {
        try {
            return blocks(element);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return element;
        }
    }

    private Integer blocksFrom100(Integer element) {
        return element < 100 ? element : awaitUnchecked(element);
    }

    /** Regression: the advice was to raise the parallelism from 4 to 64, although no call returned. */
    @Test
    void lanesThatNeverReturn_areSaidTo_andGetNoMoreLanes() {
        Limiter limiter = stoodStill(
                Source.range(0, MANY)
                        .mapBlocking(4, Ordering.unordered(), this::blocksFrom100)
                        .named("price"),
                price -> price.atWork() == 4 && price.waiting() == 4);
        assertThat(limiter.kind()).isEqualTo(Kind.STAGE_WAIT);
        assertThat(limiter.name()).isEqualTo("price");
        assertThat(limiter.sentence())
                .isEqualTo("the handlers of price do not return: 4.0 of 4 threads are at work, and none has finished"
                        + " for 5.0 s");
        assertThat(limiter.advice()).startsWith("take a thread dump").endsWith("more threads would wait too");
        assertThat(limiter.lever().kind()).isEqualTo(Lever.Kind.ELSEWHERE);
    }

    @Test
    void fusedFunctionThatNeverReturns_isSaidTo_andGetsNoThreadsOfItsOwn() {
        Limiter limiter = stoodStill(
                Source.range(0, MANY).map(this::blocksFrom100).named("price"),
                price -> price.isInPass() && price.waiting() == 1);
        assertThat(limiter.sentence()).startsWith("the handlers of price do not return: 1.0 of 1 threads are at work");
        assertThat(limiter.advice()).endsWith("more threads would wait too");
        assertThat(limiter.lever().kind()).isEqualTo(Lever.Kind.ELSEWHERE);
    }

    /** Regression: slow first calls were said to hang, and more threads to be useless. */
    @Test
    void firstCallsOfLanes_areSaidNotToHaveReturnedYet() {
        Limiter lanes = stoodStill(
                Source.range(0, MANY)
                        .mapBlocking(4, Ordering.unordered(), this::blocks)
                        .named("price"),
                price -> price.atWork() == 4 && price.waiting() == 4);
        assertThat(lanes.sentence())
                .isEqualTo("no handler of price has returned yet: 4.0 of 4 threads are at work, and none has finished"
                        + " for 5.0 s");
        assertThat(lanes.advice())
                .startsWith("take a thread dump")
                .endsWith("if these calls hang, give them a timeout; if they are slow, give price more threads");
    }

    @Test
    void firstCallOfAFusedFunction_isSaidNotToHaveReturnedYet() {
        Limiter fused = stoodStill(
                Source.range(0, MANY).map(this::awaitUnchecked).named("price"),
                price -> price.isInPass() && price.waiting() == 1);
        assertThat(fused.sentence()).startsWith("no handler of price has returned yet: 1.0 of 1 threads are at work");
        assertThat(fused.advice()).endsWith("if they are slow, give price its own threads");
    }

    @Test
    void lanesThatWaitBetweenTwoAttempts_areNotSaidToHang() {
        Limiter limiter = stoodStill(
                Source.range(0, MANY)
                        .mapBlocking(4, Ordering.unordered(), (Integer n) -> {
                            throw new IllegalStateException("down");
                        })
                        .named("price")
                        .supervised(Supervision.retry(
                                RetryPolicy.of(3, Backoff.between(Duration.ofHours(1), Duration.ofHours(1))),
                                Supervision.fail())),
                price -> price.atWork() == 4 && price.waiting() == 4);
        assertThat(limiter.sentence()).doesNotContain("do not return");
    }

    /** Waits until {@code is} applies to "price". Finds the limiter as if nothing then changed for 5 s. */
    private Limiter stoodStill(Source<?> source, Predicate<Activity> is) {
        RunningPipeline running = source.to(Sink.<Object>forEach(n -> {}).named("out"))
                .named("planted")
                .run();
        Planted planted = new Planted(running, release);
        try {
            await().atMost(Duration.ofSeconds(40))
                    .until(() -> running.activity().stream()
                            .anyMatch(each -> each.stage().equals("price") && is.test(each)));
            PipelineLook look = PipelineLook.at(running, Planted.IDLE_MACHINE);
            return LimiterFinder.find(
                    look,
                    PipelineLook.of(
                            look.atNanos() + 5_000_000_000L,
                            look.stages(),
                            look.activity(),
                            look.consumers(),
                            look.producers(),
                            look.machine()));
        } finally {
            planted.close();
        }
    }

    @Test
    void slowerOfTwoStages_isTheLimiter_thoughBothHaveWork() {
        try (Planted planted = planted(Source.range(0, MANY)
                .mapBlocking(8, Ordering.unordered(), n -> n)
                .named("quick")
                .mapBlocking(2, Ordering.unordered(), this::blocks)
                .named("slow"))) {
            planted.awaitLimiter(Kind.STAGE_WAIT, "slow");
        }
    }

    @Test
    void fusedFunctionThatComputes_isStageCpu() {
        try (Planted planted =
                planted(Source.range(0, MANY).async().map(this::computes).named("burn"))) {
            Limiter limiter = planted.awaitLimiter(Kind.STAGE_CPU, "burn");
            assertThat(limiter.advice()).contains("mapParallel with 8");
        }
    }

    @Test
    void workersThatCompute_areStageCpu_andGetMore() {
        try (Dispatcher pool = Dispatcher.fixed("pool", 8);
                Planted planted = planted(Source.range(0, MANY)
                        .mapParallel(1, this::computes)
                        .with(Attributes.NONE.withDispatcher(pool))
                        .named("parse"))) {
            Limiter limiter = planted.awaitLimiter(Kind.STAGE_CPU, "parse");
            assertThat(limiter.advice()).contains("parallelism of parse from 1 to 8");
            assertThat(limiter.expectedGain()).isEqualTo(8);
        }
    }

    @Test
    void workersThatCompute_onAFullMachine_areMachineCpu() {
        try (Dispatcher pool = Dispatcher.fixed("pool", 8);
                Planted planted = planted(Source.range(0, MANY)
                        .mapParallel(1, this::computes)
                        .with(Attributes.NONE.withDispatcher(pool))
                        .named("parse"))) {
            planted.on(MachineLook.of(1, Double.NaN, 0.99, 0), MachineLook.of(1, Double.NaN, 0.99, 0));
            planted.awaitLimiter(Kind.MACHINE_CPU, "machine-cpu");
        }
    }

    @Test
    void dispatcherWithTooFewThreads_isTheDispatcher() {
        try (Dispatcher small = Dispatcher.fixed("small", 2);
                Planted planted = planted(Source.range(0, MANY)
                        .mapBlocking(8, Ordering.unordered(), this::blocks)
                        .with(Attributes.NONE.withDispatcher(small))
                        .named("price"))) {
            Limiter limiter = planted.awaitLimiter(Kind.DISPATCHER, "small");
            assertThat(limiter.advice()).isEqualTo("raise dispatcher small from 2 to 8 threads");
            assertThat(limiter.expectedGain()).isEqualTo(4);
        }
    }

    @Test
    void twoStagesOfWhichOneTakesAllThreads_areTheDispatcher() {
        try (Dispatcher shared = Dispatcher.fixed("shared", 3);
                Planted planted = planted(Source.range(0, MANY)
                        .mapBlocking(3, Ordering.unordered(), n -> n)
                        .with(Attributes.NONE.withDispatcher(shared))
                        .named("first")
                        .mapBlocking(6, Ordering.unordered(), this::blocks)
                        .with(Attributes.NONE.withDispatcher(shared))
                        .named("second"))) {
            planted.awaitLimiter(Kind.DISPATCHER, "shared");
        }
    }

    @Test
    void oneHotKey_isKeySkew() {
        try (Planted planted = planted(Source.range(0, MANY)
                .mapBlocking(8, Ordering.byKey(n -> "hot"), this::blocks)
                .named("price"))) {
            Limiter limiter = planted.awaitLimiter(Kind.KEY_SKEW, "price");
            assertThat(limiter.sentence()).contains("1.0 of 8 workers of price are busy", "of their key");
        }
    }

    @Test
    void onePartitionInOrder_isOnePartition() {
        try (Planted planted = planted(Source.range(0, MANY)
                .map(n -> new ConsumerRecord<>("orders", 3, n, "key " + n, n))
                .mapBlocking(8, RecordOrdering.byPartition(), this::blocks)
                .named("price"))) {
            planted.with(StubLooks.consumer(StubLooks.partition(3).inFlight(512).lag(5000)), StubLooks.noProducer());
            Limiter limiter = planted.awaitLimiter(Kind.ONE_PARTITION, "orders-3");
            assertThat(limiter.advice()).startsWith("order by key");
        }
    }

    @Test
    void queueThatNobodyReads_isNamed() {
        SinkQueue<Integer> unread = SinkQueue.create();
        try (Planted planted = new Planted(
                Source.range(0, MANY).to(Sink.queue(unread).named("answers")).run(), release)) {
            planted.awaitLimiter(Kind.STAGE_WAIT, "answers");
        }
    }

    @Test
    void sourceWithoutElements_isSourceIdle() {
        try (Planted planted = planted(Source.queue(SourceQueue.of(8)).named("in"))) {
            Limiter limiter = planted.awaitLimiter(Kind.SOURCE_IDLE, "in");
            assertThat(limiter.expectedGain()).isEqualTo(1);
        }
    }

    @Test
    void sourceThatGivesLessThanTheStagesTake_isArrival() {
        SourceQueue<Integer> queue = SourceQueue.of(8);
        try (Planted planted = planted(Source.queue(queue).named("in"))) {
            assertThat(queue.offer(1)).isEqualTo(new SourceQueue.Enqueued());
            assertThat(planted.fromTheStart().awaitLimiter(Kind.ARRIVAL, "in").advice())
                    .isEqualTo("nothing to do");
        }
    }

    @Test
    void collectorThatStopsTheApplication_isGc_whateverTheStagesDo() {
        try (Planted planted = planted(Source.range(0, MANY)
                .mapBlocking(4, Ordering.unordered(), this::blocks)
                .named("price"))) {
            // Until the second reading, garbage collection takes all the time.
            planted.on(
                    MachineLook.of(8, Double.NaN, Double.NaN, 0),
                    MachineLook.of(8, Double.NaN, Double.NaN, Long.MAX_VALUE / 2));
            planted.awaitLimiter(Kind.GC, "gc");
        }
    }
}
