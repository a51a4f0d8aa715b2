package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests early ends downstream of stages that process many elements at once, and of nested inner streams. Regression:
 * elements in the inner streams stayed unfinished and held back every commit.
 */
class NestedEndTest {

    private static final int SEEDS = 150;

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 512})
    void innerStream_withParallelStagesAboveItsEnd_leavesNoHole(int batchSize) throws Exception {
        List<UnaryOperator<Source<Integer>>> ends = List.of(
                s -> s.mapParallel(3, n -> n).take(1),
                s -> s.mapParallel(1, n -> n).mapParallel(2, n -> n).take(1),
                s -> s.mapParallel(2, NestedEndTest::planted)
                        .supervised(Supervision.skip())
                        .take(2),
                s -> s.mapBlocking(4, Ordering.input(), n -> n).take(1),
                s -> s.mapBlocking(4, Ordering.unordered(), n -> n).async().take(1),
                s -> s.mapBlocking(4, Ordering.byKey(n -> n % 20), n -> n).take(1),
                s -> s.mapBlocking(4, Ordering.unordered(), NestedEndTest::planted)
                        .supervised(Supervision.skip())
                        .take(1),
                s -> s.mapBlocking(2, Ordering.unordered(), n -> n)
                        .with(Attributes.NONE.withDispatcher(Dispatcher.cpu()))
                        .take(1),
                s -> s.grouped(3)
                        .mapBlocking(4, Ordering.input(), List::getFirst)
                        .take(1),
                s -> s.mapConcat(n -> List.of(n, n))
                        .mapBlocking(4, Ordering.input(), n -> n)
                        .take(1),
                // The stream ends after the first element of a group. The group's other elements have not left it.
                s -> s.grouped(3).mapConcat(list -> list).take(1),
                s -> s.grouped(3).mapConcat(list -> list).async().take(2),
                s -> s.mapAsync(4, CompletableFuture::completedFuture).take(1),
                s -> s.mapAsync(4, NestedEndTest::elsewhere).take(1),
                s -> s.mapAsync(2, Ordering.unordered(), NestedEndTest::elsewhere)
                        .supervised(Supervision.skip())
                        .take(2));
        for (UnaryOperator<Source<Integer>> end : ends) {
            leavesNoHole(500, batchSize, s -> s.groupBy(n -> n % 10, 10, end));
            leavesNoHole(500, batchSize, s -> s.splitWhen(n -> n % 100 == 0, end));
        }
    }

    /** Streams end at random, or their outer streams end them. Some functions fail, and their elements are skipped. */
    @Test
    void streamsWithinStreams_thatEndAnywhere_leaveNoHole() throws Exception {
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            Nesting nesting = new Nesting(random);
            try {
                leavesNoHole(300, 1 + random.nextInt(40), nesting.around(random.nextInt(3), false));
            } catch (AssertionError failed) {
                throw new AssertionError("seed " + seed + ": " + nesting.described, failed);
            }
        }
    }

    private static void leavesNoHole(int inputs, int batchSize, UnaryOperator<Source<Integer>> nested)
            throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(inputs, batchSize);
        try (RunningPipeline running =
                nested.apply(source.source()).to(Sink.ignore()).run()) {
            running.await();
        }
        source.assertAllFinishedSoon();
    }

    private static int planted(int n) {
        if (n % 5 == 3) {
            throw new IllegalStateException("planted");
        }
        return n;
    }

    private static CompletableFuture<Integer> elsewhere(int n) {
        return CompletableFuture.supplyAsync(() -> planted(n - n % 5));
    }

    @Test
    void mapAsync_whoseFutureNeverCompletes_doesNotHoldItsElementBeyondTheEnd() throws Exception {
        leavesNoHole(
                100,
                10,
                s -> s.groupBy(
                        n -> 0,
                        1,
                        key -> key.mapAsync(
                                        4,
                                        Ordering.unordered(),
                                        n -> n == 0 ? CompletableFuture.completedFuture(n) : new CompletableFuture<>())
                                .take(1)));
    }

    /** The element must be finished only when its handler is. */
    @Test
    void mapBlocking_whoseHandlerIsAtWorkAtTheEnd_finishesItsElementWhenItReturns() throws Exception {
        CountDownLatch mayReturn = new CountDownLatch(1);
        TrackedSource<Integer> source = TrackedSource.numbers(2, 2);
        List<Boolean> finishedBefore = new ArrayList<>();
        try (RunningPipeline running = source.source()
                .groupBy(
                        n -> 0,
                        1,
                        key -> key.mapBlocking(2, Ordering.unordered(), n -> {
                                    if (n == 1) {
                                        awaitThoughInterrupted(mayReturn);
                                        finishedBefore.add(source.isFinished(1));
                                    }
                                    return n;
                                })
                                .take(1)
                                .watch(end -> mayReturn.countDown()))
                .to(Sink.ignore())
                .run()) {
            running.await();
        }
        assertThat(finishedBefore).containsExactly(false);
        source.assertAllFinished();
    }

    private static void awaitThoughInterrupted(CountDownLatch latch) {
        while (latch.getCount() > 0) {
            try {
                boolean ignored = latch.await(1, TimeUnit.SECONDS);
            } catch (InterruptedException ignored) {
                // Ignores the interrupt.
            }
        }
    }

    /** Regression: the current batch was lost when the stream ended while waiting for the side sink. */
    @Test
    void alsoTo_whoseSideIsFullAtTheEnd_leavesNoHole() throws Exception {
        CountDownLatch sideIsFull = new CountDownLatch(1);
        CountDownLatch mayGoOn = new CountDownLatch(1);
        // The queue of the side sink accepts batches of ten until it has 1,024 elements. The sink has another batch.
        int waiting = 10 + 1_030;
        leavesNoHole(
                2_000,
                10,
                s -> s.groupBy(
                        n -> 0,
                        1,
                        // The side sink continues after the main stream.
                        key -> key.watch(end -> mayGoOn.countDown())
                                .tap(n -> {
                                    if (n == waiting) {
                                        sideIsFull.countDown();
                                    }
                                })
                                .alsoTo(Sink.forEach(n -> awaitThoughInterrupted(mayGoOn)))
                                .async(Dispatcher.virtual(), 10_000)
                                .tap(n -> awaitThoughInterrupted(sideIsFull))
                                .take(1)));
    }

    /** Regression: an end during the pause before a retry lost the parents after the failed one. */
    @Test
    void streams_whoseFunctionIsTriedAgainAtTheEnd_leaveNoHole() throws Exception {
        Duration pause = Duration.ofHours(1);
        Supervision patient = Supervision.retry(RetryPolicy.of(9, Backoff.between(pause, pause)), Supervision.fail());
        Function<Integer, Source<Integer>> failing = n -> Source.of(n == 0 ? 0 : planted(3));
        leavesNoHole(20, 10, groupOf(s -> s.flatMapMerge(2, failing).supervised(patient)));
        for (UnaryOperator<Source<Integer>> oneByOne : List.<UnaryOperator<Source<Integer>>>of(
                s -> s.flatMapMerge(2, failing).supervised(patient),
                s -> s.switchMap(failing).supervised(patient),
                s -> s.flatMapConcat(failing).supervised(patient).async(),
                s -> s.groupBy(n -> n == 0 ? 0 : planted(3), 2, key -> key.async())
                        .supervised(patient))) {
            leavesNoHole(2, 1, groupOf(oneByOne));
        }
    }

    /** Regression: elements in the failed stages of one group were given up during another group's turn. */
    @Test
    void group_thatRecoversAndGoesOnInALaterTurn_leavesNoHole() throws Exception {
        leavesNoHole(
                8,
                4,
                s -> s.groupBy(
                        n -> n % 2,
                        2,
                        key -> key.map(n -> planted(n == 0 ? 3 : 0)).recoverWith(1, failure -> notYet())));
    }

    /** Returns a source whose first pull gives nothing. It then ends. */
    private static Source<Integer> notYet() {
        AtomicInteger asked = new AtomicInteger();
        return answering(() -> asked.incrementAndGet() == 1);
    }

    private static Source<Integer> answering(BooleanSupplier goesOn) {
        return Source.custom("answering", context -> new Stage<Integer>() {
            @Override
            public @Nullable Batch<Integer> pull(long deadlineNanos) {
                return goesOn.getAsBoolean() ? new Batch<>(0) : null;
            }

            @Override
            public void close() {}
        });
    }

    /** Returns a group that ends after its first element. */
    private static UnaryOperator<Source<Integer>> groupOf(UnaryOperator<Source<Integer>> inside) {
        return s -> s.groupBy(n -> 0, 1, key -> inside.apply(key).take(1));
    }

    /** The next run gets the elements. */
    @Test
    void parallelStage_aboveTheEndOfThePipeline_leavesWhatIsInItUnfinished() throws Exception {
        List<UnaryOperator<Source<Integer>>> stages = List.of(
                s -> s.mapParallel(2, n -> n),
                s -> s.mapBlocking(4, Ordering.input(), n -> n),
                s -> s.mapAsync(4, CompletableFuture::completedFuture),
                s -> s.groupBy(n -> 0, 1, key -> key.mapBlocking(4, Ordering.input(), n -> n)));
        for (UnaryOperator<Source<Integer>> stage : stages) {
            TrackedSource<Integer> source = TrackedSource.numbers(1000, 10).heldOpen();
            try (RunningPipeline running =
                    stage.apply(source.source()).take(1).to(Sink.ignore()).run()) {
                running.await();
            }
            source.assertProtocolKept();
            assertThat(source.finishedCount()).isEqualTo(1);
        }
    }

    /** Random nested streams. The random choices are made once, not again for each group. */
    private static final class Nesting {

        private final Random random;
        private final StringBuilder described = new StringBuilder();

        Nesting(Random random) {
            this.random = random;
        }

        private int draw(String of, int bound) {
            int drawn = random.nextInt(bound);
            described.append(' ').append(of).append(drawn);
            return drawn;
        }

        /** Returns a stream whose inner streams end early. The stream ends when its source ends. */
        UnaryOperator<Source<Integer>> around(int depth, boolean isWithin) {
            int keys = 1 + draw("keys ", 5);
            // In the outermost stream, the end of a broadcast would leave the remaining elements to the next run.
            int kind = draw("kind ", isWithin ? 6 : 5);
            UnaryOperator<Source<Integer>> inner = endingEarly(depth);
            UnaryOperator<Source<Integer>> other = work();
            return switch (kind) {
                case 0 -> s -> s.groupBy(n -> n % keys, keys, inner);
                case 1 -> s -> s.splitWhen(n -> n % (10 * keys) == 0, inner);
                case 2 -> s -> s.splitAfter(n -> n % (10 * keys) == 0, part -> inner.apply(part.async()));
                case 3 -> s -> s.groupBy(n -> n % keys, keys, key -> inner.apply(key.async()));
                case 4 -> s -> s.flatMapConcat(n -> inner.apply(Source.of(n, n, n)));
                default -> s -> s.broadcast(List.<Function<Source<Integer>, Source<Integer>>>of(inner, other));
            };
        }

        private UnaryOperator<Source<Integer>> endingEarly(int depth) {
            UnaryOperator<Source<Integer>> before = work();
            UnaryOperator<Source<Integer>> inside = depth == 0 ? work() : around(depth - 1, true);
            int count = 1 + draw("take ", 4);
            return s -> inside.apply(before.apply(s)).take(count);
        }

        private UnaryOperator<Source<Integer>> work() {
            Supervision skip = Supervision.skip();
            return switch (draw("work ", 8)) {
                case 0 -> s -> s.mapParallel(2, NestedEndTest::planted).supervised(skip);
                case 1 ->
                    s -> s.mapBlocking(3, Ordering.input(), NestedEndTest::planted)
                            .supervised(skip);
                case 2 ->
                    s -> s.mapBlocking(3, Ordering.byKey(n -> n % 3), NestedEndTest::planted)
                            .supervised(skip);
                case 3 -> s -> s.mapAsync(3, NestedEndTest::elsewhere).supervised(skip);
                case 4 -> s -> s.async(Dispatcher.virtual(), 5);
                case 5 -> s -> s.mapConcat(n -> List.of(n, n));
                case 6 -> s -> s.grouped(3).map(List::getFirst);
                default -> s -> s.map(n -> n);
            };
        }
    }
}
