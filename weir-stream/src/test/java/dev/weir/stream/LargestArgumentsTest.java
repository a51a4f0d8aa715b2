package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests extreme arguments: the largest counts mean no limit, the longest durations forever, the most negative ones no
 * wait.
 */
class LargestArgumentsTest {

    private static final int MAX = Integer.MAX_VALUE;
    private static final long LONG_MAX = Long.MAX_VALUE;
    private static final Duration FOREVER = ChronoUnit.FOREVER.getDuration();
    private static final Duration BACK = Duration.ofSeconds(Long.MIN_VALUE);

    private static final List<Integer> ALL = List.of(1, 2, 3);
    private static final List<Integer> NONE = List.of();

    private static Arguments row(String name, Function<Source<Integer>, Source<?>> operator, List<?> expected) {
        return Arguments.of(name, operator, expected);
    }

    static Stream<Arguments> counts() {
        return Stream.of(
                row("take", s -> s.take(LONG_MAX), ALL),
                row("drop", s -> s.drop(LONG_MAX), NONE),
                row("limit", s -> s.limit(LONG_MAX), ALL),
                row("limitWeighted", s -> s.limitWeighted(LONG_MAX, n -> n), ALL),
                row("deduplicate", s -> s.deduplicate(n -> n, MAX), ALL),
                row("grouped", s -> s.grouped(MAX), List.of(ALL)),
                row("groupedWeighted", s -> s.groupedWeighted(LONG_MAX, n -> n), List.of(ALL)),
                row(
                        "groupedWeighted, each as heavy as may be",
                        s -> s.groupedWeighted(LONG_MAX, n -> LONG_MAX),
                        List.of(List.of(1), List.of(2), List.of(3))),
                row("groupedAdjacentBy", s -> s.groupedAdjacentBy(n -> 0, MAX), List.of(ALL)),
                row("sliding, size", s -> s.sliding(MAX, 1), List.of(ALL)),
                row("sliding, step", s -> s.sliding(1, MAX), List.of(List.of(1))),
                row("sliding, both", s -> s.sliding(MAX, MAX), List.of(ALL)),
                row("prefixAndTail", s -> s.prefixAndTail(MAX, (prefix, tail) -> Source.from(prefix)), ALL),
                row("interleave", s -> s.interleave(Source.of(9), MAX), List.of(1, 2, 3, 9)),
                row("async", s -> s.async(Dispatcher.virtual(), MAX), ALL),
                row("flatMapMerge", s -> s.take(1).flatMapMerge(MAX, n -> Source.of(n)), List.of(1)),
                row("groupBy", s -> s.groupBy(n -> n, MAX, group -> group), ALL),
                row("mergePrioritized", s -> s.mergePrioritized(List.of(Source.empty()), MAX, MAX), ALL),
                row("recoverWith", s -> s.recoverWith(MAX, failure -> null), ALL),
                row("range", s -> Source.range(LONG_MAX - 1, LONG_MAX), List.of(LONG_MAX - 1)),
                row("throttle", s -> s.throttle(LONG_MAX, Duration.ofSeconds(1)), ALL),
                row("delay", s -> s.delay(n -> Duration.ZERO, MAX), ALL),
                row("throttlePerKey", s -> s.throttlePerKey(LONG_MAX, Duration.ofSeconds(1), 1, n -> n, MAX), ALL));
    }

    static Stream<Arguments> durations() {
        return Stream.of(
                row("groupedWithin", s -> s.groupedWithin(2, FOREVER), List.of(List.of(1, 2), List.of(3))),
                row("groupedWeightedWithin", s -> s.groupedWeightedWithin(9, FOREVER, n -> 1), List.of(ALL)),
                row("groupedAdjacentBy", s -> s.groupedAdjacentBy(n -> 0, 9, FOREVER), List.of(ALL)),
                row("groupBy", s -> s.groupBy(n -> n, 9, FOREVER, group -> group), ALL),
                row("throttle", s -> s.throttle(1, FOREVER).take(1), List.of(1)),
                row("throttle, many", s -> s.throttle(LONG_MAX, FOREVER), ALL),
                row(
                        "throttle, own burst",
                        s -> s.throttle(1, FOREVER, 1, ThrottleMode.SHAPING).take(1),
                        List.of(1)),
                row("throttlePerKey", s -> s.throttlePerKey(1, FOREVER, 1, n -> n), ALL),
                row("takeWithin", s -> s.takeWithin(FOREVER), ALL),
                row("takeWithin, back", s -> s.takeWithin(BACK), NONE),
                row("dropWithin", s -> s.dropWithin(FOREVER), NONE),
                row("dropWithin, back", s -> s.dropWithin(BACK), ALL),
                row("initialDelay, back", s -> s.initialDelay(BACK), ALL),
                row("delay, back", s -> s.delay(BACK), ALL),
                row("debounce", s -> s.debounce(FOREVER), List.of(3)),
                row("sample", s -> s.sample(FOREVER), List.of(3)),
                row("idleTimeout", s -> s.idleTimeout(FOREVER), ALL),
                row("initialTimeout", s -> s.initialTimeout(FOREVER), ALL),
                row("completionTimeout", s -> s.completionTimeout(FOREVER), ALL),
                row("backpressureTimeout", s -> s.backpressureTimeout(FOREVER), ALL),
                row("keepAlive", s -> s.keepAlive(FOREVER, () -> 0), ALL),
                row("tick", s -> Source.tick(Duration.ZERO, FOREVER, 1).take(1), List.of(1)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource({"counts", "durations"})
    void largestArgument_worksAsWithoutABound(
            String name, Function<Source<Integer>, Source<?>> operator, List<?> expected) throws InterruptedException {
        assertThat(new ArrayList<Object>(operator.apply(Source.from(ALL)).toList()))
                .containsExactlyInAnyOrderElementsOf(expected);
    }

    /** Regression: the stage pulled a group without input again and again, and no cancellation ended that. */
    @Test
    void initialDelayWithinAGroup_forever_endsByCancellation() throws InterruptedException {
        CountDownLatch inputHasEnded = new CountDownLatch(1);
        RunningPipeline running = Source.of(1)
                .watch(end -> inputHasEnded.countDown())
                .groupBy(n -> n, 1, group -> group.initialDelay(FOREVER))
                .to(Sink.ignore())
                .run();
        inputHasEnded.await();
        running.cancel();
        TrackedRun.awaitEnd(running);
    }

    @ParameterizedTest
    @EnumSource
    void buffer_asLargeAsMayBe_works(OverflowStrategy strategy) throws InterruptedException {
        assertThat(Source.from(ALL).buffer(MAX, strategy).toList()).isEqualTo(ALL);
    }

    @Test
    void takeLast_asManyAsMayBe_isAll() throws InterruptedException {
        assertThat(Source.from(ALL).runTo(Sink.takeLast(MAX))).isEqualTo(ALL);
    }

    @Test
    void limitWeighted_sumBeyondALong_isTooMuch() {
        assertThatThrownBy(() ->
                        Source.from(ALL).limitWeighted(LONG_MAX, n -> LONG_MAX).toList())
                .isInstanceOf(LimitExceededException.class);
    }

    @Test
    void batchWeighted_sumBeyondALong_isTakenAsFull() throws InterruptedException {
        assertThat(Source.from(ALL)
                        .batchWeighted(LONG_MAX, n -> LONG_MAX, n -> n, Integer::sum)
                        .toList())
                .isEqualTo(ALL);
    }

    /** Calls a full queue and an empty queue with the most negative timeout. */
    @Test
    void queues_patienceBelowAllBounds_doNotWait() throws InterruptedException {
        SourceQueue<Integer> in = SourceQueue.of(1);
        in.offer(1);
        assertThat(in.offer(2, BACK)).isEqualTo(new SourceQueue.Full());
        assertThat(SinkQueue.create().poll(BACK)).isEmpty();
    }

    @Test
    void sourceQueue_patienceForEver_waitsForRoom() throws InterruptedException {
        SourceQueue<Integer> in = SourceQueue.of(1);
        in.offer(1);
        try (RunningPipeline running = Source.queue(in).to(Sink.ignore()).run()) {
            assertThat(in.offer(2, FOREVER)).isEqualTo(new SourceQueue.Enqueued());
            in.complete();
            running.await();
        }
    }

    @Test
    void drain_deadlinesBeyondAllBounds_areForEverAndAtOnce() throws InterruptedException {
        try (RunningPipeline ending = Source.never().to(Sink.ignore()).run();
                RunningPipeline cut = Source.never().to(Sink.ignore()).run()) {
            assertThat(ending.drain(FOREVER).drained()).isTrue();
            assertThat(cut.drain(BACK)).isNotNull();
        }
    }
}
