package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests the end that a side sink sees: a failed main stream must not look complete, and an early end must not look like
 * a failure.
 */
class SideSinkEndTest {

    private static final String NAME = "sides";

    private final CountDownLatch sideIsOver = new CountDownLatch(1);
    private final AtomicBoolean sawTheEnd = new AtomicBoolean();

    @AfterEach
    void noThreadIsLeft() {
        ThreadCensus.assertNoneLeft(NAME);
    }

    /** Returns a sink that publishes at the end of its stream. */
    private Sink<Integer> publishing() {
        return Sink.custom("publishing", context -> upstream -> {
            try {
                Batch<Integer> batch;
                while ((batch = upstream.pull(Stage.NEVER)) != null) {
                    batch.ackAll();
                }
                sawTheEnd.set(true);
            } finally {
                sideIsOver.countDown();
            }
        });
    }

    private static int failAtFive(int n) {
        if (n == 5) {
            throw new IllegalStateException("planted");
        }
        return n;
    }

    interface Way extends Function<Source<Integer>, Source<Integer>> {}

    static Stream<Function<Sink<Integer>, Way>> failing() {
        return Stream.of(
                side -> source -> source.alsoTo(side).map(SideSinkEndTest::failAtFive),
                side -> source -> source.map(SideSinkEndTest::failAtFive).alsoTo(side),
                side -> source -> source.wireTap(side).map(SideSinkEndTest::failAtFive),
                side -> source -> source.divertTo(side, n -> failAtFive(n) == 3),
                side -> source -> source.alsoTo(side).async().map(SideSinkEndTest::failAtFive),
                side -> source -> source.alsoTo(side).mapParallel(2, SideSinkEndTest::failAtFive),
                side -> source -> source.alsoTo(side).mapBlocking(2, Ordering.input(), SideSinkEndTest::failAtFive),
                side -> source ->
                        source.alsoTo(side).mapBlocking(2, Ordering.byKey(SideSinkEndTest::failAtFive), n -> n),
                side -> source ->
                        source.alsoTo(side).mapAsync(2, n -> CompletableFuture.completedFuture(failAtFive(n))),
                side -> source -> source.alsoTo(side).partition(2, n -> failAtFive(n) % 2, branch -> branch),
                side -> source -> source.alsoTo(side).flatMapMerge(2, n -> Source.of(failAtFive(n))),
                side -> source ->
                        source.alsoTo(side).flatMapMerge(2, n -> Source.of(n).map(SideSinkEndTest::failAtFive)),
                side -> source -> source.alsoTo(side).merge(Source.of(5).map(SideSinkEndTest::failAtFive)),
                side -> source -> source.alsoTo(side).batch(10, n -> n, (sum, n) -> sum + failAtFive(n)));
    }

    /** Regression: the side sink of a failed stream published an incomplete result. */
    @ParameterizedTest
    @MethodSource("failing")
    void side_ofAStreamThatFailsAboveABoundary_seesNoEnd(Function<Sink<Integer>, Way> way) {
        TrackedSource<Integer> source = TrackedSource.numbers(10, 10).heldOpen();
        RunningPipeline running = way.apply(publishing())
                .apply(source.source())
                .async()
                // Blocks the main sink until the side sink's end.
                .to(Sink.forEach(n -> awaitQuietly(sideIsOver)))
                .named(NAME)
                .run();
        assertThatThrownBy(running::await).isInstanceOf(RuntimeException.class);
        assertThat(sawTheEnd).isFalse();
        source.assertProtocolKept();
    }

    /** Regression: the side sink failed although the stream had only ended early. */
    @Test
    void side_ofAStreamThatEndsEarlyWhileAFunctionBlocks_seesTheEnd() throws Exception {
        CountDownLatch blocked = new CountDownLatch(1);
        TrackedSource<Integer> source = TrackedSource.numbers(10, 1);
        try (RunningPipeline running = source.source()
                .map(n -> {
                    if (n == 1) {
                        blocked.countDown();
                        awaitQuietly(new CountDownLatch(1));
                    }
                    return n;
                })
                .alsoTo(publishing())
                .async()
                .tap(n -> awaitQuietly(blocked))
                .take(1)
                .to(Sink.ignore())
                .named(NAME)
                .run()) {
            running.await();
        }
        assertThat(sawTheEnd).isTrue();
        source.assertProtocolKept();
        assertThat(source.finishedCount()).isEqualTo(1);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
