package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.spi.Batch;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests how many elements a stalled sink lets through, and that pulls end at their deadlines. */
class BackPressureTest {

    private static final int INPUTS = 100_000;
    private static final int BATCH = 64;

    /** Returns stages with the maximum number of elements that leave the source while the sink holds one batch. */
    static Stream<Arguments> stagesWithBounds() {
        return Stream.of(
                bounded("async(1)", 4 * BATCH, source -> source.async(Dispatcher.virtual(), 1)),
                bounded("async(1000)", 1000 + 4 * BATCH, source -> source.async(Dispatcher.virtual(), 1000)),
                bounded("mapParallel", 4096 + 4 * BATCH, source -> source.mapParallel(2, n -> n)),
                // Workers collect finished elements, so the sink's batch may have 512 elements.
                bounded(
                        "mapBlocking(4, input)",
                        512 + 512 + 4 * BATCH,
                        source -> source.mapBlocking(4, Ordering.input(), n -> n)),
                bounded(
                        "mapBlocking(100, byKey)",
                        1024 + 512 + 4 * BATCH,
                        source -> source.mapBlocking(100, Ordering.byKey(n -> n), n -> n)),
                bounded(
                        "mapBlocking(4, unordered)",
                        512 + 512 + 4 * BATCH,
                        source -> source.mapBlocking(4, Ordering.unordered(), n -> n)));
    }

    private static Arguments bounded(String name, int bound, UnaryOperator<Source<Integer>> stage) {
        return Arguments.of(Named.of(name, stage), bound);
    }

    @ParameterizedTest
    @MethodSource("stagesWithBounds")
    void stalledSink_boundsWhatIsTakenFromTheSource(UnaryOperator<Source<Integer>> stage, int bound) throws Exception {
        TrackedSource<Integer> tracked = TrackedSource.numbers(INPUTS, BATCH);
        CountDownLatch stalled = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        try (RunningPipeline running = stage.apply(tracked.source())
                .to(Sink.forEach(n -> {
                    stalled.countDown();
                    await(goOn);
                }))
                .run()) {
            stalled.await();
            awaitStandstill(tracked);
            assertThat(tracked.pulled()).isBetween(BATCH, bound);
            goOn.countDown();
            running.await();
            tracked.assertAllFinished();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Waits until the count has not changed for 50 ms. A wait that is too short cannot fail the test. */
    private static void awaitStandstill(TrackedSource<?> tracked) {
        int before;
        do {
            before = tracked.pulled();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
        } while (tracked.pulled() != before);
    }

    static Stream<Arguments> stages() {
        CountDownLatch never = new CountDownLatch(1);
        return Stream.<Arguments>of(
                named("source", source -> source),
                named("map", source -> source.map(n -> n)),
                named("filter", source -> source.filter(n -> false)),
                named("mapConcat", source -> source.mapConcat(n -> List.of())),
                named("grouped", source -> source.grouped(INPUTS).map(List::size)),
                named("async", source -> source.filter(n -> false).async()),
                named("mapParallel", source -> source.filter(n -> false).mapParallel(2, n -> n)),
                named(
                        "mapParallel, stuck",
                        source -> source.mapParallel(2, n -> {
                            never.await();
                            return n;
                        })),
                named("mapBlocking", source -> source.filter(n -> false).mapBlocking(2, Ordering.input(), n -> n)),
                named(
                        "mapBlocking, stuck",
                        source -> source.mapBlocking(2, Ordering.input(), n -> {
                            never.await();
                            return n;
                        })));
    }

    /** Returns operators with inner streams, and operators for failures and times. */
    static Stream<Arguments> furtherStages() {
        Duration hour = Duration.ofHours(1);
        RestartSettings hourly = RestartSettings.of(Backoff.between(hour, hour));
        return Stream.<Arguments>of(
                named("flatMapConcat", source -> source.flatMapConcat(n -> Source.never())),
                named("flatMapMerge", source -> source.flatMapMerge(2, n -> Source.never())),
                named("switchMap", source -> source.switchMap(n -> Source.never())),
                named("groupBy", source -> source.filter(n -> false).groupBy(n -> n, 9, key -> key)),
                named("groupBy, of filters", source -> source.groupBy(n -> n % 9, 9, key -> key.filter(n -> false))),
                named(
                        "groupBy, with threads",
                        source -> source.groupBy(
                                n -> 0, 1, key -> key.filter(n -> false).async())),
                named("splitWhen", source -> source.splitWhen(n -> false, part -> part.filter(n -> false))),
                named(
                        "splitAfter, whose stream has ended",
                        source -> source.splitAfter(
                                n -> false, part -> part.take(1).filter(n -> false))),
                named("prefixAndTail", source -> source.prefixAndTail(1_000, (prefix, tail) -> tail)),
                named(
                        "prefixAndTail, with its prefix",
                        source -> source.prefixAndTail(9, (prefix, tail) -> tail.filter(n -> false))),
                named("killSwitch", source -> source.filter(n -> false).via(new KillSwitch())),
                named(
                        "timeouts",
                        source -> source.filter(n -> false)
                                .idleTimeout(hour)
                                .initialTimeout(hour)
                                .completionTimeout(hour)
                                .backpressureTimeout(hour)
                                .keepAlive(hour, () -> 0)),
                named(
                        "recover",
                        source -> source.filter(n -> false)
                                .recover(failure -> 0)
                                .mapError(failure -> failure)
                                .watch(end -> {})),
                named(
                        "restarted, between two runs",
                        source -> source.<Integer>map(n -> {
                                    throw new IllegalStateException("planted");
                                })
                                .restarted(hourly)),
                named(
                        "restarted, in a run",
                        source -> source.filter(n -> false).restarted(hourly, section -> section)));
    }

    private static Arguments named(String name, UnaryOperator<Source<Integer>> stage) {
        return Arguments.of(Named.of(name, stage));
    }

    @ParameterizedTest
    @MethodSource({"stages", "furtherStages"})
    void pull_withADeadline_returnsAnEmptyBatchInsteadOfWaiting(UnaryOperator<Source<Integer>> stage) throws Exception {
        TrackedSource<Integer> tracked = TrackedSource.numbers(100, 7).heldOpen();
        CountDownLatch sawEmpty = new CountDownLatch(1);
        Sink<Integer> sink = Sink.custom("impatient", context -> upstream -> {
            while (true) {
                Batch<Integer> batch =
                        upstream.pull(System.nanoTime() + Duration.ofMillis(1).toNanos());
                if (batch == null) {
                    throw new AssertionError("the source is held open");
                }
                if (batch.isEmpty()) {
                    sawEmpty.countDown();
                    return;
                }
            }
        });
        try (RunningPipeline running = stage.apply(tracked.source()).to(sink).run()) {
            sawEmpty.await();
            running.await();
        }
        tracked.assertProtocolKept();
    }

    @ParameterizedTest
    @MethodSource("endlessStages")
    void pull_withADeadline_overAnEndlessSourceThatComesToNothing_returns(UnaryOperator<Source<Integer>> stage)
            throws Exception {
        Source<Integer> endless =
                Source.from(() -> Stream.iterate(0, n -> n + 1).iterator());
        Sink<Integer> sink = Sink.custom("impatient", context -> upstream -> {
            Batch<Integer> batch = upstream.pull(System.nanoTime());
            assertThat(batch).isNotNull().returns(true, Batch::isEmpty);
        });
        try (RunningPipeline running = stage.apply(endless).to(sink).run()) {
            running.await();
        }
    }

    static Stream<Arguments> endlessStages() {
        return Stream.of(
                named("filter", source -> source.filter(n -> false)),
                named("mapConcat", source -> source.mapConcat(n -> List.of())),
                named(
                        "grouped",
                        source -> source.filter(n -> n < 10).grouped(100_000).map(List::size)),
                named("long group", source -> source.grouped(Integer.MAX_VALUE).map(List::size)));
    }

    @Test
    void pull_whoseDeadlineHasPassed_stillReturnsWhatIsThere() throws Exception {
        TrackedSource<Integer> tracked = TrackedSource.numbers(1000, 7);
        int[] count = {0};
        Sink<Integer> sink = Sink.custom("impatient", context -> upstream -> {
            Batch<Integer> batch;
            while ((batch = upstream.pull(System.nanoTime() - 1)) != null) {
                count[0] += batch.size();
                batch.ackAll();
                // Pulls never wait here. On a single processor, no other thread would run without this pause.
                LockSupport.parkNanos(1);
            }
        });
        try (RunningPipeline running = tracked.source()
                .async()
                .mapParallel(2, n -> n)
                .mapBlocking(2, Ordering.input(), n -> n)
                .to(sink)
                .run()) {
            running.await();
        }
        assertThat(count[0]).isEqualTo(1000);
        tracked.assertAllFinished();
    }
}
