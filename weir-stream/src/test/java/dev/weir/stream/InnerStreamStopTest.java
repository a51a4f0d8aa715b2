package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Tests a stop while inner streams emit elements. Regression: a graceful stop lost elements that inner streams had not
 * emitted yet.
 */
class InnerStreamStopTest {

    private static final List<UnaryOperator<Source<Integer>>> OF_LISTS = List.of(
            s -> s.flatMapConcat(n -> Source.of(n, n)),
            s -> s.flatMapConcat(n -> Source.from(List.of(n, n)).async()),
            s -> s.flatMapMerge(3, n -> Source.of(n, n)),
            s -> s.flatMapMerge(3, n -> Source.single(n).concat(Source.single(n))),
            s -> s.groupBy(n -> n % 3, 3, key -> key.flatMapConcat(n -> Source.of(n, n))),
            s -> s.prefixAndTail(5, (first, rest) -> Source.from(first).concat(rest))
                    .mapConcat(n -> List.of(n, n)));

    @Test
    void stop_whileListsAreEmitted_losesNothingAndFinishesAllThatWasHandedOut() throws Exception {
        for (UnaryOperator<Source<Integer>> operator : OF_LISTS) {
            for (int batchSize : new int[] {1, 7, 100}) {
                TrackedSource<Integer> source =
                        TrackedSource.numbers(100, batchSize).heldOpen();
                List<Integer> seen = stoppedAtTheFirst(operator.apply(source.source()));
                source.assertProtocolKept();
                assertThat(source.finishedCount()).isEqualTo(source.pulled());
                assertThat(seen.stream().sorted().toList())
                        .isEqualTo(IntStream.range(0, source.pulled())
                                .boxed()
                                .flatMap(n -> List.of(n, n).stream())
                                .toList());
            }
        }
    }

    /** The elements of these endless streams stay unfinished, because the next run emits them again. */
    @Test
    void stop_whileSourcesThatMayHaveNoEndEmit_leavesTheirElementsUnfinished() throws Exception {
        Function<Integer, Source<Integer>> endless =
                n -> Source.unfold(n, next -> Optional.of(new Unfolded<>(next, next)));
        List<UnaryOperator<Source<Integer>>> operators = List.of(
                s -> s.flatMapConcat(endless),
                s -> s.flatMapMerge(3, endless),
                s -> s.switchMap(endless),
                s -> s.groupBy(n -> 0, 1, key -> key.flatMapConcat(endless)),
                s -> s.groupBy(n -> 0, 1, key -> key.flatMapMerge(3, endless)),
                s -> s.splitWhen(n -> false, section -> section.flatMapConcat(endless)),
                s -> s.prefixAndTail(1, (first, rest) -> endless.apply(first.getFirst())),
                s -> s.flatMapConcat(n -> Source.single(n).flatMapConcat(endless)),
                s -> s.flatMapConcat(n -> Source.lazily(() -> endless.apply(n))),
                s -> s.flatMapConcat(n -> Source.single(n).concat(Source.never())));
        for (UnaryOperator<Source<Integer>> operator : operators) {
            TrackedSource<Integer> source = TrackedSource.numbers(1, 1).heldOpen();
            List<Integer> seen = stoppedAtTheFirst(operator.apply(source.source()));
            assertThat(seen).isNotEmpty();
            source.assertProtocolKept();
            assertThat(source.finishedCount()).isZero();
            assertThat(source.waitedFor()).as("a drain waits for these").isEmpty();
        }
    }

    /** Regression: after a stop, elements that were not zipped were acknowledged without being processed. */
    @Test
    void stop_thatEndsASecondSourceWithin_leavesWhatWasNotZippedUnfinished() throws Exception {
        UnaryOperator<Source<Integer>> zipped =
                s -> s.zipWith(Source.tick(Duration.ZERO, Duration.ofHours(1), 0), (n, tick) -> n);
        List<UnaryOperator<Source<Integer>>> inner = List.of(
                zipped,
                s -> zipped.apply(s.async()),
                s -> zipped.apply(s).async(),
                s -> zipped.apply(s.groupBy(n -> 0, 1, key -> key)),
                s -> s.groupBy(n -> 0, 1, zipped),
                s -> s.splitWhen(n -> false, section -> zipped.apply(section.async())));
        for (UnaryOperator<Source<Integer>> within : inner) {
            List<UnaryOperator<Source<Integer>>> operators = List.of(
                    s -> s.groupBy(n -> 0, 1, within),
                    s -> s.async(Dispatcher.virtual(), 50).groupBy(n -> 0, 1, within),
                    s -> s.splitWhen(n -> false, within),
                    s -> s.async(Dispatcher.virtual(), 50).splitAfter(n -> false, within),
                    s -> s.broadcast(List.of(within, branch -> branch.filter(n -> false))),
                    s -> s.broadcast(List.of(within)),
                    s -> s.partition(2, n -> 0, within),
                    s -> s.balance(2, within),
                    s -> s.groupBy(n -> 0, 1, key -> key.partition(2, n -> 0, within)));
            for (UnaryOperator<Source<Integer>> operator : operators) {
                for (int batchSize : new int[] {7, 100}) {
                    TrackedSource<Integer> source =
                            TrackedSource.numbers(100, batchSize).heldOpen();
                    List<Integer> seen = stoppedAtTheFirst(operator.apply(source.source()));
                    source.assertProtocolKept();
                    assertThat(seen)
                            .as("operator %s around %s", operators.indexOf(operator), inner.indexOf(within))
                            .hasSize(source.finishedCount());
                    assertThat(source.waitedFor()).isEmpty();
                }
            }
        }
    }

    /** Regression: the inner stream stayed open. */
    @Test
    void stopHookThatThrows_ofAStreamStartedAfterTheStop_failsTheRunAndLeavesNothingOpen() throws Exception {
        CountDownLatch starting = new CountDownLatch(1);
        CountDownLatch stopped = new CountDownLatch(1);
        List<String> closed = new CopyOnWriteArrayList<>();
        Source<Integer> inner = Source.custom("inner", context -> {
            context.onStop(() -> {
                throw new IllegalStateException("planted");
            });
            context.onTermination(patience -> {
                closed.add("resource");
                return "";
            });
            return new Stage<Integer>() {
                @Override
                public @Nullable Batch<Integer> pull(long deadlineNanos) {
                    return null;
                }

                @Override
                public void close() {
                    closed.add("source");
                }
            };
        });
        RunningPipeline running = Source.of(1)
                .tap(n -> {
                    starting.countDown();
                    stopped.await();
                })
                .flatMapConcat(n -> inner)
                .to(Sink.ignore())
                .run();
        starting.await();
        running.stop();
        stopped.countDown();
        assertThatThrownBy(running::await).hasMessage("planted");
        assertThat(closed).containsExactly("source", "resource");
    }

    private static <T> List<T> stoppedAtTheFirst(Source<T> source) throws InterruptedException {
        CompletableFuture<RunningPipeline> handle = new CompletableFuture<>();
        List<T> seen = new ArrayList<>();
        try (RunningPipeline running = source.to(Sink.forEach(element -> {
                    seen.add(element);
                    handle.join().stop();
                }))
                .run()) {
            handle.complete(running);
            running.await();
        }
        return seen;
    }

    /** The inner stream's main part ends long before its side sink. */
    @Test
    void innerStream_withASinkAtItsSide_isFinishedWhenThatIs() throws Exception {
        List<Function<Function<Integer, Source<Integer>>, UnaryOperator<Source<Integer>>>> operators = List.of(
                function -> s -> s.flatMapConcat(function),
                function -> s -> s.flatMapMerge(2, function),
                function -> s -> s.prefixAndTail(2, (first, rest) -> function.apply(first.getFirst())));
        for (var operator : operators) {
            CountDownLatch mayEnd = new CountDownLatch(1);
            TrackedSource<Integer> source = TrackedSource.numbers(2, 2);
            ConcurrentLinkedQueue<Boolean> finishedBefore = new ConcurrentLinkedQueue<>();
            Sink<Integer> side = Sink.forEach(n -> {
                awaitUninterrupted(mayEnd);
                finishedBefore.add(source.isFinished(0));
            });
            UnaryOperator<Source<Integer>> inner = operator.apply(
                    n -> Source.of(0, 0).alsoTo(n == 0 ? side : Sink.ignore()).watch(end -> mayEnd.countDown()));
            try (RunningPipeline running =
                    inner.apply(source.source()).to(Sink.ignore()).run()) {
                running.await();
            }
            assertThat(finishedBefore).containsExactly(false, false);
            source.assertAllFinished();
        }
    }

    @Test
    void innerStream_ofWhichASideSinkFails_leavesItsElementUnfinished() {
        Function<Integer, Source<Integer>> function = n -> Source.of(n).alsoTo(Sink.forEach(element -> {
            throw new IllegalStateException("planted");
        }));
        for (UnaryOperator<Source<Integer>> operator : List.<UnaryOperator<Source<Integer>>>of(
                s -> s.flatMapConcat(function), s -> s.flatMapMerge(2, function))) {
            TrackedSource<Integer> source = TrackedSource.numbers(1, 1);
            RunningPipeline running =
                    operator.apply(source.source()).to(Sink.ignore()).run();
            assertThatThrownBy(running::await).hasMessage("planted");
            source.assertProtocolKept();
            assertThat(source.finishedCount()).isZero();
        }
    }

    /** Regression: the run reported that nothing was left, although elements waited for the restart. */
    @Test
    void stop_whileARestartWaits_finishesWhatTheSectionWasGiven() throws Exception {
        CompletableFuture<RunningPipeline> handle = new CompletableFuture<>();
        TrackedSource<Integer> source = TrackedSource.numbers(10, 5).heldOpen();
        AtomicInteger closings = new AtomicInteger();
        List<Integer> seen = new ArrayList<>();
        Duration hour = Duration.ofHours(1);
        try (RunningPipeline running = source.source()
                .restarted(
                        RestartSettings.of(Backoff.between(hour, hour)),
                        section -> section.<Object, Integer>statefulMap(
                                Object::new,
                                (state, n) -> {
                                    if (n == 3 && closings.get() == 0) {
                                        throw new IllegalStateException("planted");
                                    }
                                    return n;
                                },
                                state -> Optional.empty(),
                                state -> {
                                    // The failed stages close before the wait for the restart begins.
                                    if (closings.getAndIncrement() == 0) {
                                        handle.join().stop();
                                    }
                                }))
                .to(Sink.forEach(seen::add))
                .run()) {
            handle.complete(running);
            running.await();
        }
        source.assertProtocolKept();
        assertThat(source.finishedCount()).isEqualTo(source.pulled());
        assertThat(seen)
                .as("what had left the section may come again")
                .containsAll(IntStream.range(0, source.pulled()).boxed().toList());
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
