package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageContext.PatientTermination;
import dev.weir.stream.testing.VirtualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class RestartTest {

    private static final RestartSettings AT_ONCE = RestartSettings.of(Backoff.NONE);
    private static final Backoff SECONDS =
            Backoff.between(Duration.ofSeconds(1), Duration.ofSeconds(4)).withJitter(0);

    private final IllegalStateException planted = new IllegalStateException("planted");
    private final VirtualClock clock = new VirtualClock();

    static Stream<Arguments> sectionsAndSizes() {
        List<UnaryOperator<Source<Integer>>> sections = List.of(
                source -> source,
                source -> source.async(),
                source -> source.mapConcat(n -> List.of(n, n)),
                source -> source.mapParallel(2, n -> n),
                source -> source.mapBlocking(4, Ordering.input(), n -> n).async(Dispatcher.virtual(), 3));
        return sections.stream().flatMap(section -> Stream.of(1, 2, 7, 512).map(size -> Arguments.of(section, size)));
    }

    @ParameterizedTest
    @MethodSource("sectionsAndSizes")
    void section_thatFailsAgainAndAgain_losesNothingOfASourceThatReplays(
            UnaryOperator<Source<Integer>> section, int batchSize) throws Exception {
        ReplayedLog log = new ReplayedLog(2000, batchSize);
        AtomicInteger calls = new AtomicInteger();
        List<Integer> seen = new ArrayList<>();
        try (RunningPipeline running = section.apply(log.source())
                .map(n -> {
                    if (calls.incrementAndGet() % 700 == 0) {
                        throw planted;
                    }
                    return n;
                })
                .restarted(AT_ONCE)
                .async()
                .mapBlocking(4, Ordering.unordered(), n -> n)
                .to(Sink.forEach(seen::add))
                .run()) {
            assertThat(running.await().drained()).isTrue();
        }
        assertThat(log.breaches).isEmpty();
        assertThat(log.isAllFinished()).isTrue();
        assertThat(log.runs.get()).isGreaterThan(2);
        assertThat(seen.stream().distinct().sorted())
                .isEqualTo(IntStream.range(0, 2000).boxed().toList());
    }

    @Test
    void elementsBelowAFailedSection_areAcknowledgedToTheRunThatEmittedThem() throws Exception {
        ReplayedLog log = new ReplayedLog(10, 1);
        CountDownLatch restarted = new CountDownLatch(2);
        AtomicInteger failures = new AtomicInteger();
        RunningPipeline running = Restart.source(AT_ONCE, () -> {
                    restarted.countDown();
                    return log.source().map(n -> {
                        if (n == 3 && failures.getAndIncrement() == 0) {
                            throw planted;
                        }
                        return n;
                    });
                })
                .async()
                .to(Sink.forEach(n -> await(restarted)))
                .run();
        assertThat(running.await().drained()).isTrue();
        assertThat(log.isAllFinished()).isTrue();
        // Elements 0, 1 and 2 were already downstream at the failure.
        assertThat(log.lateAcks()).isGreaterThanOrEqualTo(3);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void restarts_waitByTheRunsClock_twiceAsLongEachTime() throws Exception {
        BlockingQueue<Long> starts = new LinkedBlockingQueue<>();
        RunningPipeline running = failing(starts)
                .restarted(RestartSettings.of(SECONDS).atMost(3, Duration.ofMinutes(1)))
                .to(Sink.ignore())
                .on(clock)
                .run();
        List<Long> seen = new ArrayList<>();
        for (int seconds : new int[] {1, 2, 4}) {
            seen.add(starts.take());
            clock.awaitWaiters(1);
            clock.advance(Duration.ofSeconds(seconds).minusNanos(1));
            assertThat(starts).isEmpty();
            clock.advance(Duration.ofNanos(1));
        }
        seen.add(starts.take());
        // This was the third restart within the minute.
        assertThatThrownBy(running::await).isSameAs(planted);
        assertThat(seen).containsExactly(0L, 1L, 3L, 7L);
    }

    @Test
    void restarts_longAgo_countNoMore() throws Exception {
        HandFedSource<Integer> fed = new HandFedSource<>();
        BlockingQueue<Integer> seen = new LinkedBlockingQueue<>();
        RunningPipeline running = fed.source()
                .map(n -> {
                    if (n < 0) {
                        throw planted;
                    }
                    return n;
                })
                .idleTimeout(Duration.ofDays(1))
                .restarted(RestartSettings.of(SECONDS).atMost(1, Duration.ofMinutes(1)))
                .to(Sink.forEach(seen::add))
                .on(clock)
                .run();
        for (int i = 0; i < 4; i++) {
            fed.emit(i);
            assertThat(seen.take()).isEqualTo(i);
            clock.awaitWaiters(1);
            fed.emit(-1);
            fed.awaitClosings(i + 1);
            clock.awaitWaiters(1);
            clock.advance(Duration.ofSeconds(1));
            // The source runs again for a minute. Its restart then no longer counts.
            fed.emit(100 + i);
            assertThat(seen.take()).isEqualTo(100 + i);
            clock.advance(Duration.ofMinutes(1));
        }
        fed.complete();
        assertThat(running.await().drained()).isTrue();
        assertThat(fed.closings()).isEqualTo(5);
    }

    private Source<Integer> failing(BlockingQueue<Long> starts) {
        return Source.from(() -> {
            starts.add(clock.nanoTime() / 1_000_000_000L);
            throw planted;
        });
    }

    @Test
    void stop_duringTheWait_endsTheStream() throws Exception {
        RunningPipeline running = failing(new LinkedBlockingQueue<>())
                .restarted(RestartSettings.of(SECONDS))
                .to(Sink.ignore())
                .on(clock)
                .run();
        clock.awaitWaiters(1);
        running.stop();
        assertThat(running.await().drained()).isTrue();
    }

    @Test
    void cancel_duringTheWait_endsTheStream() throws Exception {
        RunningPipeline running = failing(new LinkedBlockingQueue<>())
                .restarted(RestartSettings.of(SECONDS))
                .to(Sink.ignore())
                .on(clock)
                .run();
        clock.awaitWaiters(1);
        running.cancel();
        assertThatThrownBy(running::await).isInstanceOf(CancellationException.class);
    }

    @Test
    void stop_whileTheSectionRuns_drainsIt() throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(100, 7).heldOpen();
        CountDownLatch flowing = new CountDownLatch(100);
        RunningPipeline running = source.source()
                .restarted(AT_ONCE.alsoOnCompletion())
                .to(Sink.forEach(n -> flowing.countDown()))
                .run();
        flowing.await();
        running.stop();
        assertThat(running.await().drained()).isTrue();
        source.assertAllFinished();
    }

    @Test
    void completion_restartsOnlyIfAsked() throws Exception {
        List<Integer> seen = new ArrayList<>();
        AtomicInteger runs = new AtomicInteger();
        try (RunningPipeline running = Restart.source(
                        AT_ONCE.alsoOnCompletion().atMost(2, Duration.ofHours(1)),
                        () -> Source.of(runs.incrementAndGet()))
                .to(Sink.forEach(seen::add))
                .run()) {
            running.await();
        }
        try (RunningPipeline running = Restart.source(AT_ONCE, () -> Source.of(-1))
                .to(Sink.forEach(seen::add))
                .run()) {
            running.await();
        }
        assertThat(seen).containsExactly(1, 2, 3, -1);
    }

    @Test
    void supplierThatThrows_countsAsAFailureOfTheSection() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        List<Integer> seen = new ArrayList<>();
        try (RunningPipeline running = Restart.source(AT_ONCE, () -> {
                    if (calls.incrementAndGet() < 3) {
                        throw planted;
                    }
                    return Source.of(7);
                })
                .to(Sink.forEach(seen::add))
                .run()) {
            running.await();
        }
        assertThat(calls).hasValue(3);
        assertThat(seen).containsExactly(7);
    }

    @Test
    void threadsOfARestartedSection_endWithIt() throws Exception {
        ReplayedLog log = new ReplayedLog(500, 10);
        AtomicInteger calls = new AtomicInteger();
        RunningPipeline running = log.source()
                .mapBlocking(8, Ordering.unordered(), n -> n)
                .map(n -> {
                    if (calls.incrementAndGet() % 100 == 0) {
                        throw planted;
                    }
                    return n;
                })
                .restarted(AT_ONCE)
                .to(Sink.ignore())
                .named("restarting")
                .run();
        assertThat(running.await().drained()).isTrue();
        ThreadCensus.assertNoneLeft("restarting");
        assertThat(running.stages().stream().map(StageSnapshot::name))
                .containsOnlyOnce("log", "mapBlocking", "map", "restart");
    }

    /** A resource whose close waits for the test, or until it is hurried. */
    private record Closing(CountDownLatch mayClose) implements PatientTermination {

        @Override
        public String close(Duration patience) {
            RestartTest.await(mayClose);
            return "";
        }

        @Override
        public void hurry(Duration patience) {
            if (patience.isZero()) {
                mayClose.countDown();
            }
        }
    }

    /** The first run fails and the second one is empty. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void restart_waitsUntilTheRunBeforeHasClosedItsResources_andHurriesThemAfterTheDrainTimeout(boolean hurried)
            throws Exception {
        AtomicInteger starts = new AtomicInteger();
        CountDownLatch mayClose = new CountDownLatch(1);
        Source<Integer> source = Source.custom("closing", context -> {
            int start = starts.incrementAndGet();
            if (start == 1) {
                context.onTermination(new Closing(mayClose));
            }
            return new Stage<>() {
                @Override
                public @Nullable Batch<Integer> pull(long deadlineNanos) {
                    if (start == 1) {
                        throw planted;
                    }
                    return null;
                }

                @Override
                public void close() {}
            };
        });
        RunningPipeline running =
                source.restarted(AT_ONCE).to(Sink.ignore()).on(clock).run();
        clock.awaitWaiters(1);
        clock.advance(RunningPipeline.DEFAULT_DRAIN.minusNanos(1));
        assertThat(starts).hasValue(1);
        assertThat(mayClose.getCount()).isEqualTo(1);
        if (hurried) {
            clock.advance(Duration.ofNanos(1));
        } else {
            mayClose.countDown();
        }
        assertThat(running.await().drained()).isTrue();
        assertThat(starts).hasValue(2);
    }
}
