package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class CountersTest {

    private static final int INPUTS = 5000;

    private static Stages run(Source<Integer> source, Sink<Integer> sink) throws Exception {
        try (RunningPipeline running = source.to(sink).run()) {
            return new Stages(running.await().stages());
        }
    }

    private record Stages(List<StageSnapshot> all) {
        StageSnapshot get(String name) {
            return all.stream()
                    .filter(stage -> stage.name().equals(name))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static Source<Integer> numbers(int... batchSizes) {
        return TrackedSource.numbers(INPUTS, batchSizes).source();
    }

    private static void assertCounts(StageSnapshot stage, long in, long out) {
        assertThat(stage.elementsIn()).as(stage.name() + " in").isEqualTo(in);
        assertThat(stage.elementsOut()).as(stage.name() + " out").isEqualTo(out);
        assertThat(stage.depth()).as(stage.name() + " depth").isZero();
    }

    @Test
    void elements_areCountedExactlyAndNothingStaysInside() throws Exception {
        Stages stages = run(
                numbers(1, 512, 0, 7)
                        .map(n -> n)
                        .filter(n -> n % 2 == 0)
                        .async()
                        .mapConcat(n -> List.of(n, n, n))
                        .mapParallel(2, n -> n)
                        .grouped(100)
                        .mapBlocking(3, Ordering.unordered(), List::size),
                Sink.ignore());
        assertThat(stages.get("tracked").elementsOut()).isEqualTo(INPUTS);
        assertCounts(stages.get("map"), INPUTS, INPUTS);
        assertCounts(stages.get("filter"), INPUTS, INPUTS / 2);
        assertCounts(stages.get("async"), INPUTS / 2, INPUTS / 2);
        assertCounts(stages.get("mapConcat"), INPUTS / 2, INPUTS / 2 * 3);
        assertCounts(stages.get("mapParallel"), INPUTS / 2 * 3, INPUTS / 2 * 3);
        assertCounts(stages.get("grouped"), INPUTS / 2 * 3, INPUTS / 200 * 3);
        assertCounts(stages.get("mapBlocking"), INPUTS / 200 * 3, INPUTS / 200 * 3);
        assertCounts(stages.get("ignore"), INPUTS / 200 * 3, INPUTS / 200 * 3);
    }

    /** Regression: elements that a stage emits only at the end were not counted when they left it. */
    @Test
    void elementsEmittedAtTheEnd_areCounted() throws Exception {
        Stages stages = run(
                numbers(512)
                        .statefulMap(() -> 0, (state, n) -> n, Optional::of, state -> {})
                        .fold(0, Integer::sum),
                Sink.ignore());
        assertCounts(stages.get("statefulMap"), INPUTS, INPUTS + 1);
        assertCounts(stages.get("fold"), INPUTS + 1, 1);
    }

    static Stream<Arguments> oneForOne() {
        Duration hour = Duration.ofHours(1);
        return Stream.of(
                passing("idleTimeout", s -> s.idleTimeout(hour)),
                passing("initialTimeout", s -> s.initialTimeout(hour)),
                passing("completionTimeout", s -> s.completionTimeout(hour)),
                passing("backpressureTimeout", s -> s.backpressureTimeout(hour)),
                passing("keepAlive", s -> s.keepAlive(hour, () -> 0)),
                passing("watch", s -> s.watch(end -> {})),
                passing("killSwitch", s -> s.via(new KillSwitch())),
                passing("mapError", s -> s.mapError(failure -> failure)),
                passing("recover", s -> s.recover(failure -> 0)),
                passing("recoverWith", s -> s.recoverWith(1, failure -> Source.of(0))),
                passing("onErrorComplete", s -> s.onErrorComplete()),
                passing("restart", s -> s.restarted(RestartSettings.of(Backoff.NONE), section -> section)),
                passing("flatMapConcat", s -> s.flatMapConcat(n -> Source.of(n))),
                passing("flatMapMerge", s -> s.flatMapMerge(3, n -> Source.of(n))),
                passing("splitWhen", s -> s.splitWhen(n -> n % 7 == 0, part -> part)),
                passing("splitAfter", s -> s.splitAfter(n -> n % 7 == 0, part -> part.async())),
                passing(
                        "prefixAndTail",
                        s -> s.prefixAndTail(
                                9, (first, tail) -> Source.from(first).concat(tail))),
                passing("groupBy", s -> s.groupBy(n -> n % 7, 7, key -> key)),
                passing("groupBy", s -> s.groupBy(n -> n % 7, 7, key -> key.async())));
    }

    private static Arguments passing(String name, UnaryOperator<Source<Integer>> operator) {
        return Arguments.of(name, operator);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("oneForOne")
    void elements_ofAnOperatorThatPassesEach_areCountedOnBothSides(String name, UnaryOperator<Source<Integer>> operator)
            throws Exception {
        Source<Integer> few = TrackedSource.numbers(100, 1, 0, 7).source();
        assertCounts(run(operator.apply(few), Sink.ignore()).get(name), 100, 100);
    }

    @Test
    void names_givenTwice_areMadeUnique() throws Exception {
        Stages stages = run(numbers(512).map(n -> n).map(n -> n).map(n -> n).named("last"), Sink.ignore());
        assertThat(stages.all())
                .extracting(StageSnapshot::name)
                .containsExactly("tracked", "map", "map-2", "last", "ignore");
    }

    /** Regression: stages of nested inner streams were listed repeatedly, under new names. */
    @Test
    void streamsWithinStreams_showTheirStagesOnce() throws Exception {
        Stages stages = run(
                TrackedSource.numbers(100, 7)
                        .source()
                        .flatMapConcat(n -> Source.single(n)
                                .named("of a")
                                .flatMapMerge(
                                        2,
                                        a -> Source.single(a)
                                                .named("of b")
                                                .flatMapConcat(
                                                        b -> Source.of(b, b).named("of c")))),
                Sink.ignore());
        assertThat(stages.all())
                .extracting(StageSnapshot::name)
                .containsExactly(
                        "tracked",
                        "flatMapConcat",
                        "of a",
                        "flatMapMerge",
                        "of b",
                        "flatMapConcat-2",
                        "of c",
                        "ignore");
        assertCounts(stages.get("flatMapMerge"), 100, 200);
        assertCounts(stages.get("flatMapConcat-2"), 100, 200);
        assertCounts(stages.get("of c"), 200, 200);
    }

    /** Work that slows down until its stage is clearly the bottleneck. */
    private static final class SlowWork {

        private static final long LONGEST_NANOS = TimeUnit.MILLISECONDS.toNanos(4);

        private volatile long nanos = TimeUnit.MICROSECONDS.toNanos(40);

        Integer on(Integer n) {
            long end = System.nanoTime() + nanos;
            while (System.nanoTime() - end < 0) {
                LockSupport.parkNanos(1);
            }
            return n;
        }

        void takesLonger() {
            nanos = Math.min(LONGEST_NANOS, 2 * nanos);
        }
    }

    /** Runs a long stream until its counters show the bottleneck. */
    private static void awaitBottleneck(
            Source<Integer> source, Sink<Integer> sink, SlowWork work, Consumer<Stages> assertion) throws Exception {
        try (RunningPipeline running = source.to(sink).run()) {
            while (true) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
                try {
                    assertion.accept(new Stages(running.stages()));
                    break;
                } catch (AssertionError notYet) {
                    if (Thread.interrupted()) {
                        throw notYet;
                    }
                    work.takesLonger();
                }
            }
            running.cancel();
        }
    }

    /** Returns a source whose elements take at least 40 seconds of slow work. */
    private static Source<Integer> manyNumbers(int batchSize) {
        return TrackedSource.numbers(1_000_000, batchSize).source().map(n -> n);
    }

    /**
     * Checks that the slow stage is the busiest, stages upstream wait for it to take elements, and stages downstream
     * wait for input.
     */
    private static void assertBottleneck(Stages stages, String slow, List<String> above, List<String> below) {
        StageSnapshot bottleneck = stages.get(slow);
        assertThat(bottleneck.busyShare())
                .as(bottleneck.toString())
                .isGreaterThan(bottleneck.blockedUpShare() + bottleneck.blockedDownShare());
        for (String name : above) {
            StageSnapshot stage = stages.get(name);
            assertThat(stage.blockedDownShare()).as(stage.toString()).isGreaterThan(stage.busyShare());
            assertThat(stage.blockedDownShare()).as(stage.toString()).isGreaterThan(stage.blockedUpShare());
        }
        for (String name : below) {
            StageSnapshot stage = stages.get(name);
            assertThat(stage.blockedUpShare()).as(stage.toString()).isGreaterThan(stage.busyShare());
            assertThat(stage.blockedUpShare()).as(stage.toString()).isGreaterThan(stage.blockedDownShare());
        }
    }

    @Test
    void slowFusedStage_betweenBoundaries_showsAsTheBottleneck() throws Exception {
        SlowWork work = new SlowWork();
        awaitBottleneck(
                manyNumbers(16)
                        .async(Dispatcher.virtual(), 16)
                        .map(work::on)
                        .named("slow")
                        .async(Dispatcher.virtual(), 16),
                Sink.ignore(),
                work,
                stages -> assertBottleneck(stages, "slow", List.of("map"), List.of("async-2", "ignore")));
    }

    @Test
    void slowSink_belowParallelStages_leavesThemBlockedByIt() throws Exception {
        SlowWork work = new SlowWork();
        awaitBottleneck(manyNumbers(64).mapParallel(2, n -> n), Sink.forEach(work::on), work, stages -> {
            assertBottleneck(stages, "forEach", List.of("map"), List.of());
            assertThat(stages.get("mapParallel").blockedDownNanos()).isPositive();
        });
        SlowWork other = new SlowWork();
        awaitBottleneck(
                manyNumbers(64).mapBlocking(2, Ordering.input(), n -> n),
                Sink.forEach(other::on),
                other,
                stages -> assertBottleneck(stages, "forEach", List.of("map", "mapBlocking"), List.of()));
    }

    @Test
    void slowHandlers_showAsTheBottleneck() throws Exception {
        SlowWork work = new SlowWork();
        awaitBottleneck(
                manyNumbers(64).mapBlocking(2, Ordering.unordered(), work::on),
                Sink.ignore(),
                work,
                stages -> assertBottleneck(stages, "mapBlocking", List.of("map"), List.of("ignore")));
        SlowWork other = new SlowWork();
        awaitBottleneck(
                manyNumbers(64).mapParallel(1, other::on),
                Sink.ignore(),
                other,
                stages -> assertBottleneck(stages, "mapParallel", List.of("map"), List.of("ignore")));
    }

    @Test
    void waits_thatGoOn_showInTheSnapshotsOfARunningPipeline() throws Exception {
        CountDownLatch stalled = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        // More elements than fit into mapBlocking, the boundary, and the batches held by threads.
        try (RunningPipeline running = TrackedSource.numbers(8_192, 512)
                .source()
                .map(n -> n)
                .mapBlocking(2, Ordering.input(), n -> n)
                .async(Dispatcher.virtual(), 16)
                .to(Sink.forEach(n -> {
                    stalled.countDown();
                    await(goOn);
                }))
                .run()) {
            stalled.await();
            for (String name : List.of("map", "mapBlocking")) {
                awaitGrowth(running, name);
            }
            goOn.countDown();
            running.await();
        }
    }

    // Regression: a stage that waited with little free capacity showed no waiting time.
    @Test
    void wait_withLittleRoomInTheTable_showsInTheSnapshotsOfARunningPipeline() throws Exception {
        CountDownLatch tableFull = new CountDownLatch(1);
        CountDownLatch stalled = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        try (RunningPipeline running = TrackedSource.numbers(8_192, 512)
                .source()
                .map(n -> {
                    if (n == 1_023) {
                        tableFull.countDown();
                    }
                    return n;
                })
                .mapBlocking(2, Ordering.input(), n -> {
                    await(n < 3 ? tableFull : stalled);
                    return n;
                })
                .to(Sink.forEach(n -> {
                    stalled.countDown();
                    await(goOn);
                }))
                .run()) {
            stalled.await();
            awaitGrowth(running, "mapBlocking");
            goOn.countDown();
            running.await();
        }
    }

    /**
     * Waits for 100 readings in which the blocked time has grown. It grows this often only if a wait in progress
     * counts.
     */
    private static void awaitGrowth(RunningPipeline running, String name) throws InterruptedException {
        long seen = 0;
        for (int growths = 0; growths < 100; ) {
            if (Thread.interrupted()) {
                throw new InterruptedException(name + " shows no wait that goes on");
            }
            long now = new Stages(running.stages()).get(name).blockedDownNanos();
            growths += now > seen ? 1 : 0;
            seen = now;
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
