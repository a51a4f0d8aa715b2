package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the results of sinks, and their acknowledgements. */
class SinksTest {

    private static <R> R result(ResultSink<Integer, R> sink, int inputs, int batchSize, int finished)
            throws InterruptedException {
        TrackedSource<Integer> source = TrackedSource.numbers(inputs, batchSize, 0);
        R result = source.source().runTo(sink);
        source.assertProtocolKept();
        assertThat(source.finishedCount()).isEqualTo(finished);
        return result;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 512})
    void resultSinks_overBatchesOfAnySize_makeTheirResult(int batchSize) throws Exception {
        assertThat(result(Sink.toList(), 10, batchSize, 10)).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
        assertThat(result(Sink.collect(Collectors.summingInt(n -> n)), 10, batchSize, 10))
                .isEqualTo(45);
        assertThat(result(Sink.fold("", (text, n) -> text + n), 10, batchSize, 10))
                .isEqualTo("0123456789");
        assertThat(result(Sink.reduce(Integer::sum), 10, batchSize, 10)).contains(45);
        assertThat(result(Sink.count(), 10, batchSize, 10)).isEqualTo(10);
        assertThat(result(Sink.last(), 10, batchSize, 10)).isEqualTo(9);
        assertThat(result(Sink.lastOption(), 10, batchSize, 10)).contains(9);
        assertThat(result(Sink.takeLast(1), 10, batchSize, 10)).containsExactly(9);
        assertThat(result(Sink.takeLast(3), 10, batchSize, 10)).containsExactly(7, 8, 9);
        assertThat(result(Sink.takeLast(30), 10, batchSize, 10)).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
        assertThat(result(Sink.head(), 10, batchSize, 1)).isEqualTo(0);
        assertThat(result(Sink.headOption(), 10, batchSize, 1)).contains(0);
        // Elements that a filter drops are finished. Elements of the same batch after the last wanted one are not.
        assertThat(result(Sink.through(s -> s.drop(3), Sink.headOption()), 10, batchSize, 4))
                .contains(3);
        ResultSink<Integer, Long> nested =
                Sink.through(s -> s.map(n -> n % 4), Sink.through(s -> s.dropRepeated(), Sink.count()));
        assertThat(result(nested.named("nested"), 10, batchSize, 10)).isEqualTo(10);
    }

    @Test
    void runTo_sinkWithoutResult_runsToTheEnd() throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(10, 4, 0);
        source.source().runTo(Sink.ignore());
        assertThat(source.finishedCount()).isEqualTo(10);
        List<Object> seen = new ArrayList<>();
        Sink<Object> ofAnything = Sink.forEach(seen::add);
        Source.of(1, 2).runTo(ofAnything);
        assertThat(seen).containsExactly(1, 2);
        assertThatThrownBy(
                        () -> Source.failed(new NoSuchElementException("gone")).runTo(Sink.ignore()))
                .isInstanceOf(NoSuchElementException.class);
    }

    @Test
    void resultSinks_ofNothing_makeAnEmptyResultOrFail() throws Exception {
        Source<Integer> nothing = Source.empty();
        assertThat(nothing.toList()).isEmpty();
        assertThat(nothing.runTo(Sink.fold(1, Integer::sum))).isEqualTo(1);
        assertThat(nothing.runTo(Sink.reduce(Integer::sum))).isEmpty();
        assertThat(nothing.runTo(Sink.count())).isZero();
        assertThat(nothing.runTo(Sink.headOption())).isEmpty();
        assertThat(nothing.runTo(Sink.lastOption())).isEmpty();
        assertThat(nothing.runTo(Sink.takeLast(3))).isEmpty();
        assertThatThrownBy(() -> Sink.takeLast(0)).hasMessageContaining("count=0");
        assertThatThrownBy(() -> nothing.runTo(Sink.head())).isInstanceOf(NoSuchElementException.class);
        assertThatThrownBy(() -> nothing.runTo(Sink.last())).isInstanceOf(NoSuchElementException.class);
    }

    @Test
    void resultSink_inEachRun_makesAResultOfItsOwn() {
        ResultSink<Integer, List<Integer>> list = Sink.toList();
        AtomicInteger next = new AtomicInteger();
        Pipeline pipeline = Source.fromIterator(
                        () -> List.of(next.getAndIncrement()).iterator())
                .to(list);
        try (RunningPipeline one = pipeline.run();
                RunningPipeline two = pipeline.run()) {
            assertThat(one.result(list).join()).containsExactly(0);
            assertThat(two.result(list).join()).containsExactly(1);
            assertThatThrownBy(() -> one.result(Sink.count()))
                    .hasMessage("the sink count occurs 0 times in pipeline pipeline");
        }
    }

    @Test
    void result_ofAPipelineThatFails_failsWithTheSame() {
        ResultSink<Integer, Long> count = Sink.count();
        RunningPipeline failed = Source.<Integer>failed(new IllegalStateException("broken"))
                .to(count)
                .run();
        assertThatThrownBy(failed.result(count)::join)
                .isInstanceOf(CompletionException.class)
                .hasRootCauseMessage("broken");
        RunningPipeline cancelled = Source.<Integer>never().to(count).run();
        CompletableFuture<Long> result = cancelled.result(count);
        assertThat(result).isNotDone();
        cancelled.cancel();
        assertThatThrownBy(result::join).hasRootCauseInstanceOf(CancellationException.class);
    }

    @Test
    void resultSink_whoseFunctionThrows_isPutToSupervision() throws Exception {
        ResultSink<Integer, Integer> sum = Sink.fold(0, (combined, n) -> {
            if (n == 3) {
                throw new IllegalArgumentException("bad");
            }
            return combined + n;
        });
        assertThatThrownBy(() -> result(sum, 6, 2, 0)).hasMessage("bad");
        assertThat(result(sum.with(on(Supervision.Decision.SKIP)), 6, 2, 6)).isEqualTo(12);
        assertThat(result(sum.with(on(Supervision.Decision.SKIP_UNACKNOWLEDGED)), 6, 2, 5))
                .isEqualTo(12);
        assertThat(result(sum.with(on(Supervision.Decision.RESTART)), 6, 2, 6)).isEqualTo(9);
    }

    private static Attributes on(Supervision.Decision decision) {
        return Attributes.NONE.withSupervision(Supervision.of(failure -> decision));
    }

    @Test
    void cancelledSink_takesNothing() throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(10, 5);
        try (RunningPipeline running = source.source().to(Sink.cancelled()).run()) {
            assertThat(running.await().drained()).isTrue();
        }
        source.assertProtocolKept();
        assertThat(source.pulled()).isZero();
    }

    @Test
    void forEachBlocking_worksOnSeveralAtOnceAndAcknowledgesEach() throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(100, 7);
        CyclicBarrier four = new CyclicBarrier(4);
        try (RunningPipeline running =
                source.source().to(Sink.forEachBlocking(4, n -> four.await())).run()) {
            running.await();
        }
        source.assertAllFinished();
    }

    @Test
    void forEachBlocking_byKey_worksOnOneOfAKeyAtATimeInOrder() throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(1_000, 7);
        Map<Integer, Integer> last = new ConcurrentHashMap<>();
        Queue<Integer> outOfOrder = new ConcurrentLinkedQueue<>();
        CyclicBarrier two = new CyclicBarrier(2);
        try (RunningPipeline running = source.source()
                .to(Sink.forEachBlocking(4, Ordering.byKey(n -> n % 2), n -> {
                    if (n < 2) {
                        two.await(); // the keys do not wait for each other
                    }
                    Integer before = last.put(n % 2, n);
                    if (before != null && before != n - 2) {
                        outOfOrder.add(n);
                    }
                }))
                .run()) {
            running.await();
        }
        source.assertAllFinished();
        assertThat(outOfOrder).isEmpty();
        assertThat(last).containsOnly(entry(0, 998), entry(1, 999));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 512})
    void forEachAsync_keepsSeveralUnderWayAndAcknowledgesEachWhenItIsDone(int batchSize) throws Exception {
        List<CompletableFuture<Integer>> futures = new ArrayList<>();
        CountDownLatch four = new CountDownLatch(4);
        TrackedSource<Integer> source = TrackedSource.numbers(100, batchSize, 0);
        try (RunningPipeline running = source.source()
                .to(Sink.forEachAsync(4, n -> {
                    if (n >= 4) {
                        return CompletableFuture.completedFuture(null);
                    }
                    CompletableFuture<Integer> future = new CompletableFuture<>();
                    futures.add(future);
                    four.countDown();
                    return future;
                }))
                .run()) {
            four.await();
            assertThat(source.finishedCount()).isZero();
            futures.forEach(future -> future.complete(1));
            running.await();
        }
        source.assertAllFinished();
    }

    @Test
    void forEachAsync_whoseFunctionFailsOrReturnsNothing_failsThePipeline() {
        List<Function<Integer, CompletableFuture<Integer>>> failing =
                List.of(n -> CompletableFuture.failedFuture(new IllegalStateException("planted")), SinksTest::nothing);
        for (Function<Integer, CompletableFuture<Integer>> function : failing) {
            RunningPipeline running =
                    Source.of(1).to(Sink.forEachAsync(2, function)).run();
            assertThatThrownBy(running::await).isInstanceOf(RuntimeException.class);
        }
    }

    @SuppressWarnings("NullAway") // the point of the test
    private static CompletableFuture<Integer> nothing(int n) {
        return null;
    }

    @Test
    void runTo_whenItsCallerIsInterrupted_cancelsThePipeline() throws Exception {
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        Thread caller = Thread.ofVirtual().start(() -> {
            try {
                Source.never().toList();
            } catch (Throwable failure) {
                thrown.complete(failure);
            }
        });
        caller.interrupt();
        assertThat(thrown.join()).isInstanceOf(InterruptedException.class);
    }
}
