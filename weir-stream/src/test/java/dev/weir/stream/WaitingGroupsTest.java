package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.testing.RestProbe;
import dev.weir.stream.testing.SinkProbe;
import dev.weir.stream.testing.SourceProbe;
import dev.weir.stream.testing.VirtualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests streams of a {@code groupBy} that wait for a time. Regression: one waiting stream blocked all others, elements
 * were emitted in one burst, and an evicted group was overtaken by the next group of its key.
 */
class WaitingGroupsTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration TICK = Duration.ofNanos(1);

    private final VirtualClock clock = new VirtualClock();
    private final SourceProbe<String> in = new SourceProbe<>();
    private final List<RunningPipeline> started = new ArrayList<>();

    /** Operators that delay elements of "slow" only. */
    @SuppressWarnings("ImmutableEnumChecker") // the functions have no state
    enum Waiting {
        THROTTLE(100, s -> s.throttle(1, millis(100))),
        THROTTLE_BY_COST(
                200, s -> s.throttle(2, millis(200), 2, n -> n.startsWith("slow") ? 2 : 0, ThrottleMode.SHAPING)),
        DELAY(100, s -> s.delay(n -> n.startsWith("slow") ? millis(100L * index(n)) : Duration.ZERO, 100)),
        DELAY_AT_ITS_BOUND(200, s -> s.delay(n -> n.startsWith("slow") ? millis(100L * index(n)) : Duration.ZERO, 1)),
        THROTTLE_PER_KEY(100, s -> s.throttlePerKey(1, millis(100), 1, WaitingGroupsTest::keyOf)),
        RETRY(
                100,
                s -> s.map(new FailingOnce()::of)
                        .with(Attributes.NONE.withSupervision(Supervision.retry(
                                RetryPolicy.of(
                                        2,
                                        Backoff.between(millis(100), millis(100))
                                                .withJitter(0)),
                                Supervision.fail())))),
        INNER_STREAM(
                100,
                s -> s.flatMapConcat(n -> n.equals("slow 2") ? Source.of(n).initialDelay(millis(100)) : Source.of(n))),
        SECTION(100, s -> s.splitWhen(n -> false, part -> part.throttle(1, millis(100)))),
        NESTED(100, s -> s.groupBy(n -> 0, 1, part -> part.throttle(1, millis(100)))),
        NESTED_ASYNC(
                100,
                s -> s.groupBy(n -> 0, 1, part -> part.throttle(1, millis(100)).async()));

        final long millis;
        final UnaryOperator<Source<String>> inner;

        Waiting(long millis, UnaryOperator<Source<String>> inner) {
            this.millis = millis;
            this.inner = inner;
        }

        boolean firstWaits() {
            return this == DELAY || this == DELAY_AT_ITS_BOUND;
        }
    }

    /** Throws at the first call for "slow 2". */
    private static final class FailingOnce {

        private final AtomicInteger calls = new AtomicInteger();

        String of(String element) {
            if (element.equals("slow 2") && calls.getAndIncrement() == 0) {
                throw new IllegalStateException("not yet");
            }
            return element;
        }
    }

    private static long index(String element) {
        return Long.parseLong(element, element.length() - 1, element.length(), 10);
    }

    private static Object keyOf(String element) {
        return element.substring(0, element.indexOf(' '));
    }

    private static Duration millis(long millis) {
        return Duration.ofMillis(millis);
    }

    private <R> SinkProbe<R> run(Function<Source<String>, Source<R>> stages) {
        SinkProbe<R> out = new SinkProbe<R>().requestAll();
        started.add(stages.apply(in.source())
                .to(out.sink())
                .on(clock)
                .named("waiting")
                .run());
        return out;
    }

    private void awaitRest() throws InterruptedException {
        assertThat(new RestProbe(started.getLast()).awaitRest(PATIENCE)).isTrue();
    }

    @AfterEach
    void end() throws Exception {
        for (RunningPipeline running : started) {
            running.cancel();
            TrackedRun.awaitEnd(running);
        }
    }

    private static List<String> sorted(List<String> elements) {
        return elements.stream().sorted().toList();
    }

    // Regression: a throttle that held an element ignored an earlier deadline of the downstream stage.
    @Test
    void deadline_belowAThrottleThatHoldsAnElement_isKept() throws Exception {
        SinkProbe<List<String>> out = run(s -> s.groupBy(
                WaitingGroupsTest::keyOf,
                10,
                part -> part.throttle(1, Duration.ofMinutes(1)).groupedWithin(10, Duration.ofSeconds(1))));
        in.emit("slow 1", "slow 2");
        awaitRest();
        clock.advance(Duration.ofSeconds(1));
        assertThat(out.expectNext()).containsExactly("slow 1");
    }

    /** Sources without an end, added to the stream of a key. */
    @SuppressWarnings("ImmutableEnumChecker") // the functions have no state
    enum Endless {
        CONCAT(s -> s.take(1).concat(Source.never())),
        CONCAT_QUEUE(s -> s.take(1).concat(Source.lazily(() -> Source.queue(SourceQueue.of(1))))),
        CONCAT_TICKS(s -> s.take(1).concat(Source.tick(Duration.ofDays(1), Duration.ofDays(1), "tick"))),
        CONCAT_FUTURE(s -> s.take(1).concat(Source.completionStage(new CompletableFuture<>()))),
        CONCAT_LAZILY(s -> s.take(1).concat(Source.lazily(Source::never))),
        CONCAT_THROTTLED(s -> s.take(1).concat(Source.<String>never().throttle(1, millis(1)))),
        PREPEND(s -> s.prepend(Source.never())),
        PREPEND_ABOVE_A_THROTTLE(s -> s.prepend(Source.never()).throttle(1, millis(1))),
        OR_ELSE(s -> s.filter(n -> false).take(0).orElse(Source.never())),
        INTERLEAVE(s -> s.interleave(Source.never(), 1)),
        MERGE(s -> s.merge(Source.never())),
        MERGE_SORTED(s -> s.mergeSorted(Source.never(), String::compareTo)),
        ZIP(s -> s.zipWith(Source.never(), (one, other) -> one)),
        FLAT_MAP_CONCAT(s -> s.flatMapConcat(n -> Source.never())),
        FLAT_MAP_MERGE(s -> s.flatMapMerge(2, n -> Source.never())),
        SECTION(s -> s.splitWhen(n -> false, part -> part.prepend(Source.never()))),
        NESTED(s -> s.groupBy(n -> 0, 1, part -> part.prepend(Source.never()))),
        NESTED_AT_ITS_END(s -> s.take(1).groupBy(n -> 0, 1, part -> part.concat(Source.never())));

        final UnaryOperator<Source<String>> inner;

        Endless(UnaryOperator<Source<String>> inner) {
            this.inner = inner;
        }
    }

    // Regression: after a failure, the stream did not end until another source in a group did.
    @ParameterizedTest
    @EnumSource
    void failureAbove_whereAGroupWaitsForAnotherSource_endsTheStream(Endless kind) throws Exception {
        SinkProbe<String> ignored = run(s -> s.groupBy(WaitingGroupsTest::keyOf, 10, kind.inner));
        in.emit("slow 1");
        awaitRest();
        in.emit("slow 2", "quick 1");
        awaitRest();
        in.fail(new IllegalStateException("above"));
        while (!started.getLast().completion().isDone()
                && !Thread.currentThread().isInterrupted()) {
            clock.advance(millis(5));
            Thread.onSpinWait();
        }
        assertThat(started.getLast().completion())
                .failsWithin(PATIENCE)
                .withThrowableThat()
                .withStackTraceContaining("above");
    }

    @ParameterizedTest
    @EnumSource
    void cancellation_whereAGroupWaitsForAnotherSource_endsTheStream(Endless kind) throws Exception {
        SinkProbe<String> ignored = run(s -> s.groupBy(WaitingGroupsTest::keyOf, 10, kind.inner));
        in.emit("slow 1");
        awaitRest();
        started.getLast().cancel();
        TrackedRun.awaitEnd(started.getLast());
    }

    @ParameterizedTest
    @EnumSource
    void group_thatWaits_delaysItsOwnKeyOnlyAndEmitsAsTheWaitEnds(Waiting kind) throws Exception {
        SinkProbe<String> out = run(s -> s.groupBy(WaitingGroupsTest::keyOf, 10, kind.inner));
        in.emit("slow 1");
        awaitRest();
        in.emit("slow 2", "quick 1");
        awaitRest();
        if (kind.firstWaits()) {
            assertThat(out.expectNext()).isEqualTo("quick 1");
            clock.advance(millis(100));
            assertThat(out.expectNext()).isEqualTo("slow 1");
            awaitRest();
        } else {
            assertThat(sorted(out.expectNext(2))).containsExactly("quick 1", "slow 1");
        }
        clock.advance(millis(kind.millis).minus(TICK));
        awaitRest();
        in.emit("other 1");
        assertThat(out.expectNext()).isEqualTo("other 1");
        awaitRest();
        clock.advance(TICK);
        assertThat(out.expectNext()).isEqualTo("slow 2");
        in.complete();
        out.expectEnd();
        assertThat(in.unacknowledged()).isEmpty();
    }

    @Test
    void throttle_inGroups_emitsEachElementAtItsTime() throws Exception {
        SinkProbe<String> out = run(s -> s.groupBy(WaitingGroupsTest::keyOf, 10, key -> key.throttle(1, millis(50))));
        in.emit("a 1", "a 2", "b 1", "a 3", "b 2");
        in.complete();
        assertThat(out.expectNext(2)).containsExactly("a 1", "b 1");
        for (List<String> next : List.of(List.of("a 2", "b 2"), List.of("a 3"))) {
            awaitRest();
            clock.advance(millis(50).minus(TICK));
            awaitRest();
            out.expectNothing();
            clock.advance(TICK);
            assertThat(out.expectNext(next.size())).isEqualTo(next);
        }
        out.expectEnd();
    }

    /** Operators that emit when a time has passed, without a new element. */
    @SuppressWarnings("ImmutableEnumChecker") // the functions have no state
    enum Timed {
        GROUPED_WITHIN(key -> key.groupedWithin(10, millis(100)).map(List::getLast)),
        DEBOUNCE(key -> key.debounce(millis(100))),
        SAMPLE(key -> key.sample(millis(100))),
        KEEP_ALIVE(key -> key.drop(1).keepAlive(millis(100), () -> "a 1"));

        final UnaryOperator<Source<String>> inner;

        Timed(UnaryOperator<Source<String>> inner) {
            this.inner = inner;
        }
    }

    @ParameterizedTest
    @EnumSource
    void operatorOfTime_inAGroup_emitsThoughNoElementOfItsKeyComes(Timed kind) throws Exception {
        SinkProbe<String> out = run(s -> s.groupBy(WaitingGroupsTest::keyOf, 10, kind.inner));
        in.emit("a 1");
        awaitRest();
        clock.advance(millis(100).minus(TICK));
        awaitRest();
        out.expectNothing();
        clock.advance(TICK);
        assertThat(out.expectNext()).isEqualTo("a 1");
    }

    @Test
    void idleTimeout_inAGroup_failsThoughNoElementOfItsKeyComes() throws Exception {
        SinkProbe<String> out = run(s -> s.groupBy(WaitingGroupsTest::keyOf, 10, key -> key.idleTimeout(millis(100))));
        in.emit("a 1");
        assertThat(out.expectNext()).isEqualTo("a 1");
        awaitRest();
        clock.advance(millis(100));
        assertThat(out.expectFailure()).isInstanceOf(StreamTimeoutException.class);
    }

    /** Streams that hold elements when their key becomes idle. */
    @SuppressWarnings("ImmutableEnumChecker") // the functions have no state
    enum Evicted {
        THROTTLE(key -> key.throttle(1, millis(50))),
        DELAY(key -> key.delay(n -> n.equals("a 1") ? millis(200) : Duration.ZERO, 100)),
        DELAYED_THROTTLE(key -> key.throttle(1, millis(50)).delay(n -> millis(10L * (10 - index(n))), 100)),
        THROTTLE_PER_KEY(key -> key.throttlePerKey(1, millis(50), 1, WaitingGroupsTest::keyOf)),
        GROUPED(key -> key.grouped(10).mapConcat(all -> all)),
        ASYNC_THROTTLE(key -> key.throttle(1, millis(50)).async()),
        INNER_STREAMS(key -> key.flatMapConcat(n -> Source.of(n).initialDelay(millis(50)))),
        SECTION(key -> key.splitAfter(n -> true, part -> part.delay(millis(50))));

        final UnaryOperator<Source<String>> inner;

        Evicted(UnaryOperator<Source<String>> inner) {
            this.inner = inner;
        }
    }

    @ParameterizedTest
    @EnumSource
    void group_evictedWithElements_isNotOvertakenByTheNextOfItsKey(Evicted kind) throws Exception {
        List<String> seen = new CopyOnWriteArrayList<>();
        RunningPipeline running = in.source()
                .groupBy(WaitingGroupsTest::keyOf, 10, millis(20), kind.inner)
                // Deadlines of the downstream stage pass while a group waits.
                .delay(millis(30))
                .to(Sink.forEach(seen::add))
                .on(clock)
                .named("waiting")
                .run();
        started.add(running);
        in.emit("a 1", "a 2", "a 3");
        for (int n = 4; n < 10; n++) {
            for (int i = 0; i < 5; i++) {
                awaitRest();
                clock.advance(millis(5));
            }
            awaitRest();
            in.emit("a " + n, "b " + n);
        }
        in.complete();
        while (!running.completion().isDone()) {
            awaitRest();
            clock.advance(millis(10));
        }
        assertThat(seen.stream().filter(n -> n.startsWith("a")).toList())
                .isSorted()
                .hasSize(9);
        assertThat(seen.stream().filter(n -> n.startsWith("b")).toList())
                .isSorted()
                .hasSize(6);
        assertThat(in.unacknowledged()).isEmpty();
    }

    /** The second source does not say when it must be pulled next. */
    @Test
    void sourceWithoutElements_behindAGroup_delaysNobody() throws Exception {
        SourceQueue<String> queue = SourceQueue.of(10);
        SinkProbe<String> out = run(
                s -> s.groupBy(WaitingGroupsTest::keyOf, 10, key -> key.take(1).concat(Source.queue(queue))));
        in.emit("a 1");
        assertThat(out.expectNext()).isEqualTo("a 1");
        awaitRest();
        queue.offer("of the queue");
        clock.advance(millis(10));
        assertThat(out.expectNext()).isEqualTo("of the queue");
        in.emit("a 2");
        awaitRest();
        queue.complete();
        in.complete();
        awaitRest();
        clock.advance(millis(10));
        out.expectEnd();
        assertThat(in.unacknowledged()).isEmpty();
    }

    /** Given a key's old group that is still busy: it must not block other keys. */
    @Test
    void group_thatWaitsForTheOneBeforeIt_delaysItsOwnKeyOnly() throws Exception {
        SinkProbe<String> out = run(s -> s.groupBy(
                WaitingGroupsTest::keyOf,
                10,
                millis(20),
                key -> key.delay(n -> n.startsWith("a") ? millis(1000) : Duration.ZERO, 100)
                        .async()));
        in.emit("a 1");
        awaitRest();
        clock.advance(millis(20));
        awaitRest();
        in.emit("a 2");
        awaitRest();
        in.emit("b 1");
        assertThat(out.expectNext()).isEqualTo("b 1");
    }

    @Test
    void group_thatWaits_takesNoMoreThanItsBound() throws Exception {
        AtomicInteger read = new AtomicInteger();
        SinkProbe<Integer> out = new SinkProbe<Integer>().requestAll();
        started.add(Source.unfold(0, n -> Optional.of(new Unfolded<>(n + 1, n)))
                .map(n -> {
                    read.incrementAndGet();
                    return n;
                })
                .groupBy(n -> n % 2, 10, key -> key.throttle(1, millis(50)))
                .to(out.sink())
                .on(clock)
                .named("waiting")
                .run());
        for (int i = 0; i < 20; i++) {
            out.expectNext(2);
            awaitRest();
            clock.advance(millis(50));
        }
        assertThat(read.get()).isBetween(1, 8000);
    }

    /** Elements from before a failure are emitted before it, even if they must wait. */
    @Test
    void failure_ofTheStageAbove_waitsForElementsThatAThrottleHolds() throws Exception {
        SinkProbe<String> out = run(s -> s.groupBy(WaitingGroupsTest::keyOf, 10, key -> key.throttle(1, millis(50))));
        in.emit("a 1", "a 2");
        in.fail(new IllegalStateException("above"));
        assertThat(out.expectNext()).isEqualTo("a 1");
        awaitRest();
        clock.advance(millis(50));
        assertThat(out.expectNext()).isEqualTo("a 2");
        assertThat(out.expectFailure()).hasMessage("above");
    }
}
