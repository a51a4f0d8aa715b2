package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.testing.VirtualClock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the elements of each source, and its normal end, failure, stop and cancellation. */
class SourcesTest {

    private static List<Integer> numbers(int count) {
        return IntStream.range(0, count).boxed().toList();
    }

    private static Attributes batchesOf(int elements) {
        return Attributes.NONE.withBuffer(elements);
    }

    @Test
    void finiteSources_emitTheirElementsAgainInEachRun() throws Exception {
        for (int run = 0; run < 2; run++) {
            assertThat(Source.empty().toList()).isEmpty();
            assertThat(Source.single("one").toList()).containsExactly("one");
            assertThat(Source.range(-1, 2).toList()).containsExactly(-1, 0, 1);
            assertThat(Source.range(2, 2).toList()).isEmpty();
            assertThat(Source.range(3_000_000_000L, 3_000_000_002L).toList())
                    .containsExactly(3_000_000_000L, 3_000_000_001L);
            assertThat(Source.cycle(List.of(1, 2)).take(5).toList()).containsExactly(1, 2, 1, 2, 1);
            assertThat(Source.cycle(List.of()).toList()).isEmpty();
        }
        Source<Integer> twice = Source.fromIterator(() -> numbers(600).iterator());
        assertThat(twice.toList()).isEqualTo(numbers(600));
        assertThat(twice.toList()).isEqualTo(numbers(600));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 512})
    void sources_inBatchesOfAnySize_emitTheSame(int size) throws Exception {
        assertThat(Source.from(numbers(1500)).with(batchesOf(size)).toList()).isEqualTo(numbers(1500));
        Source<Integer> unfolded =
                Source.unfold(0, n -> n == 1500 ? Optional.empty() : Optional.of(new Unfolded<>(n + 1, n)));
        assertThat(unfolded.with(batchesOf(size)).toList()).isEqualTo(numbers(1500));
        assertThat(later(1500).with(batchesOf(size)).toList()).isEqualTo(numbers(1500));
    }

    /** Completes every third step immediately, and the other steps on another thread. */
    private static Source<Integer> later(int count) {
        return Source.unfoldAsync(0, n -> {
            Optional<Unfolded<Integer, Integer>> step =
                    n == count ? Optional.empty() : Optional.of(new Unfolded<>(n + 1, n));
            return n % 3 == 0
                    ? CompletableFuture.completedFuture(step)
                    : CompletableFuture.supplyAsync(() -> step, Thread::startVirtualThread);
        });
    }

    @Test
    void failedSource_failsThePipeline() {
        assertThatThrownBy(Source.failed(new IllegalStateException("no"))::toList)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("no");
        assertThatThrownBy(Source.failed(new IOException("no"))::toList)
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(IOException.class);
    }

    @Test
    void failure_ofUserCodeInASource_comesBehindTheElementsBefore() {
        Source<Integer> now = Source.unfold(0, n -> Optional.of(new Unfolded<>(failAt700(n) + 1, n)));
        Source<Integer> atOnce = Source.unfoldAsync(
                0, n -> CompletableFuture.completedFuture(Optional.of(new Unfolded<>(failAt700(n) + 1, n))));
        Source<Integer> later = Source.unfoldAsync(
                0,
                n -> CompletableFuture.completedFuture(n)
                        .thenApply(next -> Optional.of(new Unfolded<>(failAt700(next) + 1, next))));
        Source<Integer> read =
                Source.resource(AtomicInteger::new, next -> Optional.of(failAt700(next.getAndIncrement())), next -> {});
        for (Source<Integer> source : List.of(now, atOnce, later, read)) {
            List<Integer> seen = new ArrayList<>();
            RunningPipeline running = source.to(Sink.forEach(seen::add)).run();
            assertThatThrownBy(running::await)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("at 700");
            assertThat(seen).isEqualTo(numbers(700));
        }
    }

    private static int failAt700(int n) {
        if (n == 700) {
            throw new IllegalStateException("at " + n);
        }
        return n;
    }

    /** Sources without an end. */
    private static List<Source<?>> endless() {
        return List.of(
                Source.never(),
                Source.repeat(1),
                Source.cycle(List.of(1)),
                Source.unfold(1, n -> Optional.of(new Unfolded<>(n, n))),
                Source.unfoldAsync(1, n -> new CompletableFuture<>()),
                Source.unfoldAsync(1, n -> CompletableFuture.completedFuture(Optional.of(new Unfolded<>(n, n)))),
                Source.tick(Duration.ZERO, Duration.ofNanos(1), 1),
                Source.tick(Duration.ofDays(1), Duration.ofDays(40_000), 1),
                Source.tick(Duration.ofDays(400_000), Duration.ofDays(1), 1),
                Source.queue(SourceQueue.of(1)),
                Source.resource(() -> 1, Optional::of, one -> {}),
                Source.completionStage(new CompletableFuture<>()),
                Source.completionStageSource(new CompletableFuture<Source<Object>>()),
                Source.lazily(() -> Source.repeat(1)),
                Source.lazily(() -> Source.never().async()));
    }

    @Test
    void sources_withoutAnEnd_endWhenToldToStop() throws Exception {
        for (Source<?> source : endless()) {
            try (RunningPipeline running = source.to(Sink.ignore()).run()) {
                running.stop();
                assertThat(running.await().drained()).isTrue();
            }
        }
    }

    @Test
    void sources_withoutAnEnd_endWhenCancelled() {
        for (Source<?> source : endless()) {
            RunningPipeline running = source.to(Sink.ignore()).run();
            running.cancel();
            assertThatThrownBy(running::await).isInstanceOf(CancellationException.class);
        }
    }

    @Test
    void resource_throughEachEnding_isClosedOnce() throws Exception {
        AtomicInteger opened = new AtomicInteger();
        AtomicInteger closed = new AtomicInteger();
        Source<Integer> counting = Source.resource(
                () -> {
                    opened.incrementAndGet();
                    return new AtomicInteger();
                },
                next -> next.get() == 1500 ? Optional.empty() : Optional.of(next.getAndIncrement()),
                next -> closed.incrementAndGet());
        assertThat(counting.toList()).isEqualTo(numbers(1500));
        assertThat(counting.take(3).toList()).isEqualTo(numbers(3));
        assertThatThrownBy(counting.tap(n -> failAt700(n))::toList).hasMessage("at 700");
        assertThat(opened).hasValue(3);
        assertThat(closed).hasValue(3);

        assertThat(counting.take(0).toList()).isEmpty();
        assertThat(opened).as("opened, though nobody asked").hasValue(3);

        CompletableFuture<RunningPipeline> running = new CompletableFuture<>();
        running.complete(counting.with(batchesOf(1))
                .tap(n -> running.join().cancel())
                .to(Sink.ignore())
                .run());
        assertThatThrownBy(running.join()::await).isInstanceOf(CancellationException.class);
        assertThat(closed).hasValue(opened.get());
    }

    @Test
    void resource_thatFails_failsThePipelineWithWhatItThrew() {
        Source<Object> unopened = Source.resource(
                () -> {
                    throw new IOException("open");
                },
                resource -> Optional.empty(),
                resource -> {});
        assertThatThrownBy(unopened::toList).hasRootCauseMessage("open");
        Source<Object> unclosed = Source.resource(() -> 1, resource -> Optional.empty(), resource -> {
            throw new IOException("close");
        });
        assertThatThrownBy(unclosed::toList).hasRootCauseMessage("close");
    }

    @Test
    void completionStage_isAwaited() throws Exception {
        CompletableFuture<Integer> answer = new CompletableFuture<>();
        ResultSink<Integer, List<Integer>> list = Sink.toList();
        try (RunningPipeline running = Source.completionStage(answer).to(list).run()) {
            answer.complete(42);
            assertThat(running.result(list).join()).containsExactly(42);
        }
        assertThatThrownBy(
                        Source.completionStage(CompletableFuture.failedFuture(new NoSuchElementException("x")))::toList)
                .isInstanceOf(NoSuchElementException.class)
                .hasMessage("x");
    }

    @Test
    void completionStageSource_startsTheSourceWithinTheRun() throws Exception {
        CompletableFuture<Source<Integer>> answer = new CompletableFuture<>();
        ResultSink<Integer, List<Integer>> list = Sink.toList();
        try (RunningPipeline running =
                Source.completionStageSource(answer).to(list).run()) {
            answer.complete(Source.range(0, 2000).async().map(n -> n));
            assertThat(running.result(list).join()).isEqualTo(numbers(2000));
        }
    }

    @Test
    void lazySource_isMadeInEachRun_whenAnElementIsWanted() throws Exception {
        AtomicInteger made = new AtomicInteger();
        Source<Integer> lazy = Source.lazily(() -> {
            made.incrementAndGet();
            return Source.range(0, 3);
        });
        assertThat(lazy.take(0).toList()).isEmpty();
        assertThat(made).hasValue(0);
        assertThat(lazy.toList()).containsExactly(0, 1, 2);
        assertThat(lazy.toList()).containsExactly(0, 1, 2);
        assertThat(made).hasValue(2);
    }

    @Test
    void lazySource_ofTrackedInputs_keepsTheirAcknowledgements() throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(100, 7);
        assertThat(Source.lazily(source::source).toList()).hasSize(100);
        source.assertAllFinished();
    }

    @Test
    void tick_comesByTheClock_andLeavesOutWhatNobodyTook() throws Exception {
        VirtualClock clock = new VirtualClock();
        BlockingQueue<Long> times = new ArrayBlockingQueue<>(10);
        Action<String> noteTime = tick -> times.add(clock.nanoTime());
        try (RunningPipeline running = Source.tick(Duration.ofNanos(5), Duration.ofNanos(10), "tick")
                .to(Sink.forEach(noteTime))
                .on(clock)
                .run()) {
            clock.awaitWaiters(1);
            clock.advance(Duration.ofNanos(4));
            clock.advance(Duration.ofNanos(1));
            assertThat(times.take()).isEqualTo(5);
            clock.awaitWaiters(1);
            clock.advance(Duration.ofNanos(37)); // over 15, 25 and 35
            assertThat(times.take()).isEqualTo(42);
            clock.awaitWaiters(1);
            clock.advance(Duration.ofNanos(2));
            clock.advance(Duration.ofNanos(1));
            assertThat(times.take()).isEqualTo(45);
            assertThat(times).isEmpty();
            running.stop();
            running.await();
        }
    }

    @Test
    void sources_givenNonsense_refuseIt() {
        assertThatThrownBy(() -> Source.tick(Duration.ZERO, Duration.ZERO, 1)).hasMessageContaining("interval=PT0S");
        assertThatThrownBy(() -> Source.tick(Duration.ofNanos(-1), Duration.ofNanos(1), 1))
                .hasMessageContaining("initialDelay");
        assertThatThrownBy(() -> SourceQueue.of(0)).hasMessageContaining("capacity=0");
        assertThatThrownBy(() -> Source.of(1).take(-1)).hasMessageContaining("count=-1");
        assertThatThrownBy(() -> Source.of(1).drop(-1)).hasMessageContaining("count=-1");
        assertThatThrownBy(() -> Source.of(1).limit(-1)).hasMessageContaining("limit=-1");
        assertThatThrownBy(() -> Source.of(1).deduplicate(n -> n, 0)).hasMessageContaining("window=0");
    }
}
