package dev.weir.stream;

import static dev.weir.stream.MapAsyncTest.NAME;
import static dev.weir.stream.MapAsyncTest.collect;
import static dev.weir.stream.MapAsyncTest.upTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests computations that throw, return nothing, fail on another thread, or are cancelled. */
class MapAsyncFailureTest {

    @AfterEach
    void noThreadIsLeft() {
        ThreadCensus.assertNoneLeft(NAME);
    }

    private static IllegalStateException planted() {
        return new IllegalStateException("planted");
    }

    static Stream<Function<Integer, CompletionStage<Integer>>> failures() {
        return Stream.of(
                n -> {
                    throw planted();
                },
                n -> CompletableFuture.failedFuture(planted()),
                n -> CompletableFuture.supplyAsync(() -> {
                    throw planted();
                }),
                n -> CompletableFuture.<Integer>failedFuture(planted()).minimalCompletionStage());
    }

    @ParameterizedTest
    @MethodSource("failures")
    void failure_failsThePipelineWithIt_orSkipsTheElement(Function<Integer, CompletionStage<Integer>> failing)
            throws Exception {
        Function<Integer, CompletionStage<Integer>> function =
                n -> n % 10 == 3 ? failing.apply(n) : CompletableFuture.completedFuture(n);
        RunningPipeline running = TrackedSource.numbers(100, 7)
                .source()
                .mapAsync(4, function)
                .to(Sink.ignore())
                .named(NAME)
                .run();
        assertThatThrownBy(running::await)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("planted");

        TrackedSource<Integer> skipping = TrackedSource.numbers(100, 7);
        List<Integer> kept = upTo(100).stream().filter(n -> n % 10 != 3).toList();
        assertThat(collect(skipping.source()
                        .mapAsync(4, function)
                        .with(Attributes.NONE.withSupervision(Supervision.skip()))))
                .isEqualTo(kept);
        skipping.assertAllFinished();

        TrackedSource<Integer> leaving = TrackedSource.numbers(100, 7);
        assertThat(collect(leaving.source()
                        .mapAsync(4, function)
                        .with(Attributes.NONE.withSupervision(
                                Supervision.of(thrown -> Supervision.Decision.SKIP_UNACKNOWLEDGED)))))
                .isEqualTo(kept);
        leaving.assertProtocolKept();
        assertThat(leaving.finishedCount()).isEqualTo(90);
    }

    static Stream<Function<Integer, CompletionStage<Integer>>> nothings() {
        return Stream.of(
                n -> noStage(),
                n -> CompletableFuture.completedFuture(nothing()),
                n -> CompletableFuture.supplyAsync(MapAsyncFailureTest::nothing));
    }

    @SuppressWarnings("NullAway") // the point of the test
    private static CompletionStage<Integer> noStage() {
        return null;
    }

    @SuppressWarnings("NullAway") // the point of the test
    private static Integer nothing() {
        return null;
    }

    @ParameterizedTest
    @MethodSource("nothings")
    void null_isAClearError(Function<Integer, CompletionStage<Integer>> function) {
        RunningPipeline running = TrackedSource.numbers(100, 7)
                .source()
                .mapAsync(4, function)
                .to(Sink.ignore())
                .named(NAME)
                .run();
        assertThatThrownBy(running::await)
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("mapAsync");
    }

    @Test
    void keyFunction_thatThrows_skipsOrFails() throws Exception {
        Ordering<Integer> ordering = Ordering.byHash(n -> {
            if (n % 10 == 3) {
                throw planted();
            }
            return n % 4;
        });
        TrackedSource<Integer> tracked = TrackedSource.numbers(100, 7);
        assertThat(collect(tracked.source()
                        .mapAsync(4, ordering, CompletableFuture::completedFuture)
                        .with(Attributes.NONE.withSupervision(Supervision.skip()))))
                .hasSize(90);
        tracked.assertAllFinished();
        List<Integer> before = new ArrayList<>();
        RunningPipeline running = TrackedSource.numbers(100, 7)
                .source()
                .mapAsync(4, ordering, CompletableFuture::completedFuture)
                .to(Sink.forEach(before::add))
                .named(NAME)
                .run();
        assertThatThrownBy(running::await)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("planted");
        assertThat(before).containsExactlyInAnyOrder(0, 1, 2);
    }

    private static Source<Integer> withTarget(AckTarget broken) {
        return Source.custom("broken", context -> new Stage<>() {
            private boolean emitted;

            @Override
            public @Nullable Batch<Integer> pull(long deadlineNanos) {
                if (emitted) {
                    return null;
                }
                emitted = true;
                return Batch.of(new Object[] {1}, 1, broken, new long[1]);
            }

            @Override
            public void close() {}
        });
    }

    /** Regression: the run never ended. */
    @Test
    void targetThatThrows_failsThePipeline() {
        AckTarget refusesAcks = new AckTarget() {
            @Override
            public void ack(long token) {
                throw planted();
            }

            @Override
            public void retain(long token, int claims) {}
        };
        AckTarget cannotTell = new AckTarget() {
            @Override
            public void ack(long token) {}

            @Override
            public void retain(long token, int claims) {}

            @Override
            public boolean dropIfRevoked(long token) {
                throw planted();
            }
        };
        for (Function<Integer, CompletionStage<Integer>> failing : failures().toList()) {
            for (AckTarget target : List.of(refusesAcks, cannotTell)) {
                RunningPipeline running = withTarget(target)
                        .mapAsync(4, failing)
                        .with(Attributes.NONE.withSupervision(Supervision.skip()))
                        .to(Sink.ignore())
                        .named(NAME)
                        .run();
                assertThatThrownBy(running::await)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessage("planted");
            }
        }
    }

    /**
     * The thread that completes the future belongs to a cancelled pipeline. The cancellation says nothing about the
     * failure.
     */
    @Test
    void failure_onTheThreadOfAnotherPipelineThatIsCancelled_isPutToTheSupervision() throws Exception {
        CompletableFuture<Integer> future = new CompletableFuture<>();
        CompletableFuture<RunningPipeline> stranger = new CompletableFuture<>();
        stranger.complete(Source.of(1)
                .to(Sink.forEach(n -> {
                    while (future.getNumberOfDependents() == 0) {
                        LockSupport.parkNanos(1); // Lets others run on a single processor.
                    }
                    stranger.join().cancel();
                    boolean ignored = future.completeExceptionally(planted());
                }))
                .named(NAME)
                .run());
        TrackedSource<Integer> tracked = TrackedSource.numbers(3, 3);
        try (RunningPipeline running = tracked.source()
                .mapAsync(3, n -> n < 2 ? CompletableFuture.completedFuture(n) : future)
                .with(Attributes.NONE.withSupervision(Supervision.skip()))
                .to(Sink.ignore())
                .named(NAME)
                .run()) {
            running.await();
        }
        tracked.assertAllFinished();
        TrackedRun.awaitEnd(stranger.join());
    }

    @Test
    void cancel_withFuturesThatNeverComplete_cancelsThemAndAcknowledgesNothing() throws Exception {
        Queue<CompletableFuture<Integer>> never = new ConcurrentLinkedQueue<>();
        CountDownLatch allStarted = new CountDownLatch(8);
        TrackedSource<Integer> tracked = TrackedSource.numbers(1000, 64);
        RunningPipeline running = tracked.source()
                .mapAsync(8, n -> {
                    CompletableFuture<Integer> future = new CompletableFuture<>();
                    never.add(future);
                    allStarted.countDown();
                    return future;
                })
                .with(Attributes.NONE.withSupervision(Supervision.skip()))
                .to(Sink.ignore())
                .named(NAME)
                .run();
        allStarted.await();
        running.cancel();
        assertThatThrownBy(running::await).isInstanceOf(CancellationException.class);
        assertThat(never).hasSize(8).allMatch(CompletableFuture::isCancelled);
        tracked.assertProtocolKept();
        assertThat(tracked.finishedCount()).isZero();
    }

    @Test
    void completion_afterTheEnd_isNotHeard() throws Exception {
        CompletableFuture<Integer> late = new CompletableFuture<>();
        CountDownLatch started = new CountDownLatch(1);
        TrackedSource<Integer> tracked = TrackedSource.numbers(10, 10);
        RunningPipeline running = tracked.source()
                .mapAsync(8, n -> {
                    started.countDown();
                    // Cancelling this copy does not cancel the original future.
                    return late.minimalCompletionStage();
                })
                .to(Sink.ignore())
                .named(NAME)
                .run();
        started.await();
        running.cancel();
        TrackedRun.awaitEnd(running);
        late.complete(1);
        assertThat(tracked.finishedCount()).isZero();
    }
}
