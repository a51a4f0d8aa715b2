package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.testing.RestProbe;
import dev.weir.stream.testing.SourceProbe;
import dev.weir.stream.testing.VirtualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests operators with inner streams, for all batch sizes and all endings. */
class SubstreamTest extends OperatorEndings {

    private static final String NAME = "nesting";
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @AfterEach
    void noThreadIsLeft() {
        ThreadCensus.assertNoneLeft(NAME);
    }

    @Override
    List<Step> steps() {
        return SubstreamSteps.all();
    }

    @ParameterizedTest
    @MethodSource("steps")
    void operator_inPairs_doesAsItsModel(Step step) throws Exception {
        for (Step other : List.of(JunctionSteps.broadcast(16), steps().get(3), steps().get(5), steps().get(7))) {
            Endings.normal(List.of(step, other), 300, 33, 0, 1);
            if (!step.name().contains("split") && !step.name().contains("grouped")) {
                Endings.normal(List.of(other, step), 300, 33, 0, 1);
            }
        }
    }

    /** A source that counts how many sources of its kind are open. */
    private static final class Counted implements Stage<Integer> {
        private final AtomicInteger open;
        private int left;

        Counted(AtomicInteger open, int elements) {
            this.open = open;
            this.left = elements;
            open.incrementAndGet();
        }

        @Override
        public @Nullable Batch<Integer> pull(long deadlineNanos) {
            return left-- > 0 ? Batch.unacknowledged(new Object[] {left}, 1) : null;
        }

        @Override
        public void close() {
            open.decrementAndGet();
        }

        static Source<Integer> source(AtomicInteger open, AtomicInteger terminated, int elements) {
            return Source.custom("counted", context -> {
                context.onTermination(patience -> {
                    terminated.incrementAndGet();
                    return "";
                });
                return new Counted(open, elements);
            });
        }
    }

    @Test
    void manyInnerStreams_comeAndGo_leaveNothingOpen() throws Exception {
        int streams = 100_000;
        AtomicInteger open = new AtomicInteger();
        AtomicInteger terminated = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger seen = new AtomicInteger();
        try (RunningPipeline running = Source.from(
                        IntStream.range(0, streams).boxed().toList())
                .flatMapConcat(n -> Counted.source(open, terminated, 1))
                .map(n -> {
                    most.accumulateAndGet(open.get(), Math::max);
                    return n;
                })
                .flatMapMerge(4, n -> Counted.source(open, terminated, 1))
                .to(Sink.forEach(n -> seen.incrementAndGet()))
                .named(NAME)
                .run()) {
            running.await();
            assertThat(running.stages()).hasSizeLessThan(10);
        }
        assertThat(seen).hasValue(streams);
        assertThat(open).hasValue(0);
        assertThat(terminated).hasValue(2 * streams);
        assertThat(most).hasValueLessThanOrEqualTo(6);
    }

    @Test
    void groupBy_ofManyKeys_needsNoThreadsAndClosesAll() throws Exception {
        int keys = 100_000;
        AtomicInteger open = new AtomicInteger();
        AtomicInteger terminated = new AtomicInteger();
        List<Integer> threads = new ArrayList<>();
        AtomicInteger seen = new AtomicInteger();
        TrackedSource<Integer> source = TrackedSource.numbers(2 * keys, 512);
        try (RunningPipeline running = source.source()
                .groupBy(n -> n % keys, keys, key -> key.map(n -> n).concat(Counted.source(open, terminated, 1)))
                .to(Sink.forEach(n -> {
                    if (seen.incrementAndGet() == 2 * keys) {
                        threads.add(ThreadCensus.threadsOf(NAME).size());
                    }
                }))
                .named(NAME)
                .run()) {
            running.await();
        }
        assertThat(seen).hasValue(3 * keys);
        assertThat(threads).allMatch(count -> count <= 2);
        assertThat(open).hasValue(0);
        assertThat(terminated).hasValue(keys);
        source.assertAllFinished();
    }

    @Test
    void groupBy_withMoreKeysThanAllowed_failsAndNamesTheOption() {
        Source<Integer> grouped = Source.of(1, 2, 3, 4).groupBy(n -> n, 3, key -> key);
        assertThatThrownBy(() -> grouped.to(Sink.ignore()).named(NAME).run().await())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("maxSubstreams=3");
        assertThatThrownBy(() -> Source.of(1).groupBy(n -> n, 0, key -> key))
                .hasMessageContaining("maxSubstreams must be at least 1: maxSubstreams=0");
    }

    @Test
    void groupBy_afterAnIdleTime_endsTheGroupAndLetsItGo() throws Exception {
        VirtualClock clock = new VirtualClock();
        LinkedBlockingQueue<Integer> emitted = new LinkedBlockingQueue<>();
        LinkedBlockingQueue<List<Integer>> seen = new LinkedBlockingQueue<>();
        Source<Integer> queued = Source.custom("queued", context -> new Queued(emitted));
        try (RunningPipeline running = queued.async()
                .groupBy(n -> n % 2, 1, Duration.ofSeconds(10), key -> key.grouped(100))
                .to(Sink.forEach(seen::add))
                .named(NAME)
                .on(clock)
                .run()) {
            emitted.add(1);
            clock.awaitWaiters(1);
            clock.advance(Duration.ofSeconds(10));
            assertThat(seen.take()).containsExactly(1);
            // Only one group may exist at a time, and the first group has ended.
            emitted.add(2);
            emitted.add(Queued.END);
            running.await();
        }
        assertThat(seen).containsExactly(List.of(2));
    }

    /** Emits the elements of a queue one at a time. */
    private record Queued(LinkedBlockingQueue<Integer> queue) implements Stage<Integer> {

        static final int END = -1;

        @Override
        public @Nullable Batch<Integer> pull(long deadlineNanos) throws InterruptedException {
            int next = queue.take();
            return next == END ? null : Batch.unacknowledged(new Object[] {next}, 1);
        }

        @Override
        public void close() {}
    }

    @Test
    void switchMap_whenTheNextComes_endsTheStreamBeforeAndFinishesItsParent() throws Exception {
        TrackedSource<Integer> parents = TrackedSource.numbers(50, 1, 0, 3);
        AtomicInteger open = new AtomicInteger();
        AtomicInteger terminated = new AtomicInteger();
        List<Integer> seen = new ArrayList<>();
        try (RunningPipeline running = parents.source()
                .switchMap(n -> n == 49
                        ? Source.of(1, 2, 3)
                        : Source.from(() -> IntStream.iterate(100, i -> i + 1).iterator())
                                .concat(Counted.source(open, terminated, 1)))
                .to(Sink.forEach(seen::add))
                .named(NAME)
                .run()) {
            running.await();
        }
        parents.assertAllFinished();
        assertThat(seen).endsWith(1, 2, 3);
        assertThat(open).hasValue(0);
    }

    /** Regression: elements that the replaced stream could not emit stayed pending. */
    @Test
    void switchMap_whenTheNextComes_doesNotLetTheSourceOfTheStreamBeforeWait() throws Exception {
        TrackedSource<Integer> first = TrackedSource.numbers(50, 10);
        CountDownLatch full = new CountDownLatch(1);
        CountDownLatch replaced = new CountDownLatch(1);
        Source<Integer> parents = Source.of(0).concat(Source.of(1).tap(n -> full.await()));
        try (RunningPipeline running = parents.switchMap(
                        n -> n == 0 ? first.source().watch(end -> replaced.countDown()) : Source.of(-1))
                .with(Attributes.NONE.withBuffer(10))
                .tap(n -> {
                    // The queue is full, and the inner stream waits with another batch.
                    while (first.pulled() < 30) {
                        Thread.onSpinWait();
                    }
                    full.countDown();
                    replaced.await();
                })
                .to(Sink.ignore())
                .named(NAME)
                .run()) {
            running.await();
        }
        first.assertProtocolKept();
        assertThat(first.waitedFor()).isEmpty();
    }

    /** Regression: the parent element of a replaced stream stayed pending after a cancellation. */
    @Test
    void switchMap_thatIsCancelledWhileItReplacesAStream_leavesNoParentToWaitFor() throws Exception {
        TrackedSource<Integer> parents = TrackedSource.numbers(2, 1);
        CountDownLatch atWork = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        CountDownLatch mayReturn = new CountDownLatch(1);
        RunningPipeline running = parents.source()
                .tap(n -> {
                    if (n == 1) {
                        atWork.await();
                    }
                })
                .switchMap(n -> Source.of(n).map(one -> {
                    atWork.countDown();
                    boolean waits = true;
                    while (waits) {
                        try {
                            mayReturn.await();
                            waits = false;
                        } catch (InterruptedException replaced) {
                            interrupted.countDown();
                        }
                    }
                    return one;
                }))
                .to(Sink.ignore())
                .named(NAME)
                .run();
        interrupted.await();
        running.cancel();
        while (!parents.isClosed()) {
            mayReturn.countDown();
        }
        assertThatThrownBy(running::await).isInstanceOf(CancellationException.class);
        assertThat(parents.waitedFor()).isEmpty();
    }

    /** Regression: after one stream had failed to close, the streams of other keys stayed open. */
    @Test
    void groupBy_whoseStreamsFailToClose_closesAll() {
        AtomicInteger closed = new AtomicInteger();
        RunningPipeline running = TrackedSource.numbers(3, 3)
                .heldOpen()
                .source()
                .groupBy(
                        n -> n,
                        3,
                        key -> key.watch(end -> {
                            throw new IllegalStateException("planted " + closed.incrementAndGet());
                        }))
                .take(3)
                .to(Sink.ignore())
                .named(NAME)
                .run();
        assertThatThrownBy(running::await).hasMessageContaining("planted");
        assertThat(closed).hasValue(3);
    }

    /** Regression: the source stayed open if the tail's stream could not start. */
    @Test
    void prefixAndTail_whoseStreamCannotStart_closesTheSource() {
        TrackedSource<Integer> source = TrackedSource.numbers(5, 2);
        RunningPipeline running = source.source()
                .prefixAndTail(
                        1,
                        (prefix, tail) -> tail.concat(Source.custom("planted", context -> {
                            throw new IllegalStateException("planted");
                        })))
                .to(Sink.ignore())
                .named(NAME)
                .run();
        assertThatThrownBy(running::await).hasMessageContaining("planted");
        source.assertProtocolKept();
        assertThat(source.waitedFor()).isEmpty();
    }

    /** Regression: if an evicted group's stream failed to close, its elements stayed pending. */
    @Test
    void groupBy_whoseEvictedStreamFailsToClose_leavesNoElementPending() {
        // Both keys are in one batch: the second key has its turn before the first is evicted.
        TrackedSource<Integer> source = TrackedSource.numbers(2, 2).heldOpen();
        RunningPipeline running = source.source()
                .groupBy(
                        n -> n,
                        2,
                        Duration.ofMillis(1),
                        key -> key.<Integer>stage("abandoning", (upstream, context) -> new Abandoning(upstream)))
                .to(Sink.ignore())
                .named(NAME)
                .run();
        assertThatThrownBy(running::await).hasMessageContaining("planted");
        source.assertProtocolKept();
        assertThat(source.waitedFor()).isEmpty();
    }

    /** Abandons all elements, and throws when closed. */
    private static final class Abandoning implements Stage<Integer> {

        private final Stage<Integer> upstream;
        private boolean pulled;

        Abandoning(Stage<Integer> upstream) {
            this.upstream = upstream;
        }

        @Override
        public @Nullable Batch<Integer> pull(long deadlineNanos) throws InterruptedException {
            Batch<Integer> batch = upstream.pull(deadlineNanos);
            if (batch == null) {
                return null;
            }
            pulled = true;
            batch.abandonAll();
            return new Batch<>(0);
        }

        @Override
        public void close() {
            upstream.close();
            if (pulled) {
                throw new IllegalStateException("planted");
            }
        }
    }

    @Test
    void flatMap_overSourcesWithAcknowledgements_keepsBoth() throws Exception {
        TrackedSource<Integer> parents = TrackedSource.numbers(3, 2);
        List<TrackedSource<Integer>> children = IntStream.range(0, 3)
                .mapToObj(n -> TrackedSource.numbers(700, 33, 0))
                .toList();
        try (RunningPipeline running = parents.source()
                .flatMapMerge(2, n -> children.get(n).source())
                .grouped(10)
                .to(Sink.ignore())
                .named(NAME)
                .run()) {
            running.await();
        }
        parents.assertAllFinished();
        children.forEach(TrackedSource::assertAllFinished);
    }

    @Test
    void innerStreams_whenTheWholeIsCancelled_areClosed() throws Exception {
        for (int kind = 0; kind < 4; kind++) {
            AtomicInteger open = new AtomicInteger();
            AtomicInteger terminated = new AtomicInteger();
            CountDownLatch some = new CountDownLatch(3);
            Source<Integer> inner = Source.<Integer>custom("counted", context -> {
                        context.onTermination(patience -> {
                            terminated.incrementAndGet();
                            return "";
                        });
                        return new Counted(open, Integer.MAX_VALUE);
                    })
                    .async();
            Source<Integer> parents = Source.of(1, 2, 3, 4);
            Source<Integer> nested = switch (kind) {
                case 0 -> parents.flatMapConcat(n -> inner);
                case 1 -> parents.flatMapMerge(2, n -> inner);
                case 2 -> parents.groupBy(n -> n, 10, key -> key.concat(inner));
                default -> parents.prefixAndTail(1, (prefix, tail) -> tail.concat(inner));
            };
            RunningPipeline running =
                    nested.to(Sink.forEach(n -> some.countDown())).named(NAME).run();
            some.await();
            running.cancel();
            TrackedRun.awaitEnd(running);
            assertThat(open).as("kind " + kind).hasValue(0);
            assertThat(terminated).hasPositiveValue();
        }
    }

    /** A group's stream with its own threads may still be busy when the idle group ends. */
    @Test
    void groupBy_whoseKeyComesAgainWhileItsOldStreamIsAtWork_keepsTheOrderOfTheKey() throws Exception {
        VirtualClock clock = new VirtualClock();
        SourceProbe<Integer> in = new SourceProbe<>();
        CountDownLatch release = new CountDownLatch(1);
        List<Integer> begun = Collections.synchronizedList(new ArrayList<>());
        try (RunningPipeline running = in.source()
                .groupBy(
                        n -> 0,
                        10,
                        Duration.ofSeconds(1),
                        key -> key.mapBlocking(1, Ordering.input(), n -> {
                            begun.add(n);
                            if (n == 1) {
                                release.await();
                            }
                            return n;
                        }))
                .to(Sink.ignore())
                .named(NAME)
                .on(clock)
                .run()) {
            RestProbe probe = new RestProbe(running);
            in.emit(1);
            assertThat(probe.awaitRest(PATIENCE)).isTrue();
            clock.advance(Duration.ofSeconds(2));
            assertThat(probe.awaitRest(PATIENCE)).isTrue();
            in.emit(2);
            assertThat(probe.awaitRest(PATIENCE)).isTrue();
            assertThat(begun).containsExactly(1);
            release.countDown();
            in.complete();
            running.await();
        }
        assertThat(begun).containsExactly(1, 2);
        assertThat(in.unacknowledged()).isEmpty();
    }

    /** An inner stream's end must not interrupt upstream stages that run on its thread. */
    @Test
    void split_whoseSectionEndsWhileItsThreadIsInTheStagesAbove_doesNotInterruptThem() throws Exception {
        CountDownLatch secondIsInside = new CountDownLatch(1);
        CountDownLatch sectionHasEnded = new CountDownLatch(1);
        TrackedSource<Integer> source = TrackedSource.numbers(20, 1);
        List<Integer> seen = new ArrayList<>();
        try (RunningPipeline running = source.source()
                .mapConcat(n -> {
                    if (n == 1) {
                        secondIsInside.countDown();
                        awaitQuietly(sectionHasEnded);
                    }
                    return List.of(n);
                })
                .splitWhen(
                        n -> n % 10 == 0,
                        section -> section.async()
                                .tap(n -> awaitQuietly(secondIsInside))
                                .take(1)
                                .watch(end -> sectionHasEnded.countDown()))
                .to(Sink.forEach(seen::add))
                .named(NAME)
                .run()) {
            running.await();
        }
        assertThat(seen).containsExactly(0, 10);
        source.assertAllFinished();
    }

    /** The interrupt is held back while the thread runs upstream stages. The stream must end nevertheless. */
    @Test
    void split_thatIsClosedWhileTheThreadOfASectionIsInTheStagesAbove_ends() throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(20, 1).heldOpen();
        List<Integer> seen = Collections.synchronizedList(new ArrayList<>());
        try (RunningPipeline running = source.source()
                .splitWhen(n -> n % 10 == 0, section -> section.async())
                .take(20)
                .to(Sink.forEach(seen::add))
                .named(NAME)
                .run()) {
            running.await();
        }
        assertThat(seen).hasSize(20);
        source.assertAllFinished();
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Regression: if a filter dropped a whole batch before a deadline, its inputs stayed pending. */
    @Test
    void section_thatDroppedAllOfABatch_claimsNothingAgain() throws Exception {
        for (int i = 0; i < 20; i++) {
            TrackedSource<Integer> source = TrackedSource.numbers(300, 3, 4);
            try (RunningPipeline running = source.source()
                    .splitAfter(
                            n -> n % 10 == 9,
                            part -> part.async()
                                    .grouped(5)
                                    .mapConcat(list -> list)
                                    .filter(n -> n % 10 == 9))
                    .delay(Duration.ofNanos(100_000))
                    .to(Sink.ignore())
                    .run()) {
                running.await();
            }
            source.assertAllFinished();
        }
    }

    /** Regression: functions and sinks saw elements of the stream that is built in advance, without a key. */
    @Test
    void group_withASourceOfItsOwn_runsThatForItsKeysOnly() throws Exception {
        AtomicInteger seen = new AtomicInteger();
        int runs = 20;
        for (int i = 0; i < runs; i++) {
            List<Integer> elements = Source.of(1, 2, 3)
                    .groupBy(
                            n -> 0,
                            1,
                            key -> key.partition(
                                    1,
                                    n -> 0,
                                    branch -> branch.prepend(Source.single(0))
                                            .tap(n -> seen.incrementAndGet())
                                            .async()))
                    .toList();
            assertThat(elements).containsExactly(0, 1, 2, 3);
        }
        assertThat(seen).hasValue(4 * runs);
    }

    /** Regression: the tail ignored the interrupt at the end of the stream. */
    @Test
    void tailOnAThreadOfItsOwn_belowASplit_endsWithTheStream() throws Exception {
        CompletableFuture<Void> tailWaits = new CompletableFuture<>();
        AtomicInteger pulls = new AtomicInteger();
        Source<Integer> twoElements = Source.custom("two", context -> new Stage<>() {
            @Override
            public Batch<Integer> pull(long deadlineNanos) throws InterruptedException {
                if (pulls.get() == 2) {
                    tailWaits.complete(null);
                    new CountDownLatch(1).await();
                }
                Batch<Integer> batch = new Batch<>(1);
                batch.add(pulls.getAndIncrement());
                return batch;
            }

            @Override
            public void close() {}
        });
        List<Integer> elements = twoElements
                .splitWhen(n -> false, part -> part)
                .prefixAndTail(1, (prefix, tail) -> Source.from(prefix).concat(tail.async()))
                .map(n -> {
                    if (n == 1) {
                        tailWaits.join();
                    }
                    return n;
                })
                .take(2)
                .toList();
        assertThat(elements).containsExactly(0, 1);
    }
}
