package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests that a pipeline leaves no thread, open resource or element behind, however it ends. */
class LifetimeTest {

    private static final AtomicInteger RUNS = new AtomicInteger();

    private final String name = "life" + RUNS.incrementAndGet();
    private final CountDownLatch never = new CountDownLatch(1);
    private final CountDownLatch inside = new CountDownLatch(1);

    @AfterEach
    void noThreadIsLeft() throws Exception {
        never.countDown();
        ThreadCensus.assertNoneLeft(name);
    }

    /** The kinds of user code that the tested pipeline calls. */
    enum Place {
        MAP,
        PARALLEL,
        KEY,
        BLOCKING,
        SINK
    }

    /** Starts a pipeline with each kind of stage. Its user code calls {@code at} at the given place. */
    private RunningPipeline start(Source<Integer> source, Place place, Handler<Integer, ?> at) {
        return source.map(n -> call(place == Place.MAP, at, n))
                .async()
                .mapParallel(2, n -> call(place == Place.PARALLEL, at, n))
                .mapBlocking(
                        4,
                        Ordering.byKey(n -> call(place == Place.KEY, at, n) % 10),
                        n -> call(place == Place.BLOCKING, at, n))
                .async(Dispatcher.virtual(), 16)
                .to(Sink.forEach(n -> call(place == Place.SINK, at, n)))
                .named(name)
                .run();
    }

    private static int call(boolean here, Handler<Integer, ?> at, int n) {
        try {
            if (here) {
                Object ignored = at.handle(n);
            }
            return n;
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private Object block(Object element) throws InterruptedException {
        inside.countDown();
        never.await();
        return element;
    }

    private Object blockDeafly(Object element) {
        inside.countDown();
        while (never.getCount() > 0) {
            try {
                never.await();
            } catch (InterruptedException ignored) {
                // Ignores the interrupt.
            }
        }
        return element;
    }

    @Test
    void census_ofARunningPipeline_seesItsThreads() throws Exception {
        RunningPipeline running = start(TrackedSource.numbers(100, 7).source(), Place.BLOCKING, this::block);
        inside.await();
        assertThat(ThreadCensus.threadsOf(name)).hasSizeGreaterThanOrEqualTo(4);
        running.cancel();
        TrackedRun.awaitEnd(running);
    }

    @ParameterizedTest
    @EnumSource(Place.class)
    void failure_anywhere_endsThePipelineWithIt(Place place) {
        TrackedSource<Integer> source = TrackedSource.numbers(10_000, 64).heldOpen();
        Error planted = new AssertionError("planted");
        RunningPipeline running = start(source.source(), place, n -> {
            if (n == 500) {
                throw planted;
            }
            return n;
        });
        assertThatThrownBy(running::await).isSameAs(planted);
        source.assertProtocolKept();
        assertThat(source.isFinished(500)).isFalse();
        running.close();
    }

    @ParameterizedTest
    @EnumSource(Place.class)
    void cancel_whileUserCodeBlocks_interruptsIt(Place place) throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(10_000, 64);
        RunningPipeline running = start(source.source(), place, this::block);
        inside.await();
        running.cancel();
        assertThatThrownBy(running::await).isInstanceOf(CancellationException.class);
        source.assertProtocolKept();
        assertThat(running.drain(Duration.ZERO).drained()).isFalse();
    }

    @ParameterizedTest
    @EnumSource(Place.class)
    void drain_pastItsDeadline_cancelsAndReports(Place place) throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(10_000, 64);
        RunningPipeline running = start(source.source(), place, this::block);
        inside.await();
        DrainReport report = running.drain(Duration.ofMillis(20));
        assertThat(report.drained()).isFalse();
        if (place == Place.BLOCKING) {
            assertThat(report.leftUndone()).anyMatch(line -> line.startsWith("mapBlocking: "));
        }
        source.assertProtocolKept();
        running.close();
    }

    @Test
    void drain_withAHandlerDeafToInterrupts_namesItAndReturns() throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(10_000, 64);
        RunningPipeline running = start(source.source(), Place.BLOCKING, this::blockDeafly);
        inside.await();
        DrainReport report = running.drain(Duration.ofMillis(1));
        assertThat(report.drained()).isFalse();
        assertThat(report.leftUndone()).first().isEqualTo("weir-" + name + "-mapBlocking (4 threads) is still running");
        assertThat(report.leftUndone())
                .filteredOn(line -> line.startsWith("mapBlocking: "))
                .hasSize(1);
        assertThat(running.completion()).isNotDone();
        never.countDown();
        TrackedRun.awaitEnd(running);
        source.assertProtocolKept();
    }

    @Test
    void userCode_thatSwallowsTheInterrupt_isCancelledAllTheSame() throws Exception {
        for (Place place : Place.values()) {
            CountDownLatch reached = new CountDownLatch(1);
            RunningPipeline running = start(
                    Source.from(() -> IntStream.iterate(0, n -> (n + 1) % 1000).iterator()), place, n -> {
                        reached.countDown();
                        return Thread.interrupted();
                    });
            reached.await();
            running.cancel();
            TrackedRun.awaitEnd(running);
        }
    }

    @Test
    void userCode_thatSwallowsTheInterrupt_inAPipelineOfOneThread_isCancelledAllTheSame() throws Exception {
        RunningPipeline running = Source.from(() -> IntStream.iterate(0, n -> n).iterator())
                .map(n -> {
                    inside.countDown();
                    return Thread.interrupted();
                })
                .to(Sink.forEach(swallowed -> {
                    if (Thread.interrupted()) {
                        inside.countDown();
                    }
                }))
                .named(name)
                .run();
        inside.await();
        running.cancel();
        assertThatThrownBy(running::await).isInstanceOf(CancellationException.class);
    }

    @Test
    void source_thatNeverAnswers_canBeCancelled() throws Exception {
        Source<Integer> silent = Source.custom("silent", context -> new Silent(inside));
        RunningPipeline running = start(silent, Place.MAP, n -> n);
        inside.await();
        running.cancel();
        assertThatThrownBy(running::await).isInstanceOf(CancellationException.class);
    }

    record Silent(CountDownLatch asked) implements Stage<Integer> {
        @Override
        public Batch<Integer> pull(long deadlineNanos) throws InterruptedException {
            asked.countDown();
            new CountDownLatch(1).await();
            throw new AssertionError();
        }

        @Override
        public void close() {}
    }

    @Test
    void iteratorWithoutEnd_fused_canBeCancelled() {
        AtomicReference<RunningPipeline> handle = new AtomicReference<>();
        RunningPipeline running = Source.from(() -> IntStream.iterate(0, n -> n).iterator())
                .filter(n -> {
                    RunningPipeline known = handle.get();
                    if (known != null) {
                        known.cancel();
                    }
                    return false;
                })
                .to(Sink.ignore())
                .named(name)
                .run();
        handle.set(running);
        TrackedRun.awaitEnd(running);
    }

    @Test
    void childrenWithoutEnd_canBeCancelled() throws Exception {
        CountDownLatch flowing = new CountDownLatch(100_000);
        RunningPipeline running = Source.of(1)
                .mapConcat(one -> () -> IntStream.iterate(0, n -> n).iterator())
                .to(Sink.forEach(n -> flowing.countDown()))
                .named(name)
                .run();
        flowing.await();
        running.cancel();
        assertThatThrownBy(running::await).isInstanceOf(CancellationException.class);
    }

    @Test
    void iteratorWithoutEnd_isEndedByDrain() throws Exception {
        CountDownLatch flowing = new CountDownLatch(100_000);
        RunningPipeline running = Source.from(() -> IntStream.iterate(0, n -> n).iterator())
                .mapParallel(2, n -> n)
                .to(Sink.forEach(n -> flowing.countDown()))
                .named(name)
                .run();
        flowing.await();
        assertThat(running.drain(Duration.ofDays(Integer.MAX_VALUE)).drained()).isTrue();
    }

    @Test
    void elements_ofAnEndedRun_areNotKept_thoughItsHandleIs() throws Exception {
        List<WeakReference<Object>> elements = new ArrayList<>();
        RunningPipeline ended = overObjects(elements, Stage.NEVER);
        ended.await();
        RunningPipeline cancelled = overObjects(elements, 0);
        inside.await();
        cancelled.cancel();
        TrackedRun.awaitEnd(cancelled);
        ThreadCensus.assertNoneLeft(name);
        assertThat(elements).hasSize(2000);
        assertAllCollected(elements);
        assertThat(Stream.of(ended, cancelled).map(RunningPipeline::name)).allMatch(name::equals);
    }

    private RunningPipeline overObjects(List<WeakReference<Object>> elements, long blockFrom) {
        List<Object> objects =
                IntStream.range(0, 1000).mapToObj(n -> new Object()).toList();
        objects.forEach(object -> elements.add(new WeakReference<>(object)));
        return Source.from(new ArrayList<>(objects))
                .async()
                .mapParallel(2, object -> object)
                .mapBlocking(4, Ordering.byKey(object -> object), object -> blockFrom == 0 ? block(object) : object)
                .grouped(10)
                .mapConcat(group -> group)
                .to(Sink.ignore())
                .named(name)
                .run();
    }

    private static void assertAllCollected(List<WeakReference<Object>> elements) {
        for (int i = 0; i < 50 && elements.stream().anyMatch(element -> element.get() != null); i++) {
            System.gc();
        }
        assertThat(elements).allMatch(element -> element.get() == null);
    }

    @Test
    void sink_thatReturnsEarly_isNotHurtByWhatItsSourceMakesOfTheInterrupt() throws Exception {
        CountDownLatch waits = new CountDownLatch(1);
        Source<Integer> source = Source.custom("touchy", context -> new Stage<>() {
            private boolean first = true;

            @Override
            public Batch<Integer> pull(long deadlineNanos) {
                if (first) {
                    first = false;
                    return Batch.unacknowledged(new Object[] {1}, 1);
                }
                try {
                    waits.countDown();
                    never.await();
                    throw new AssertionError();
                } catch (InterruptedException e) {
                    throw new IllegalStateException("as some clients do", e);
                }
            }

            @Override
            public void close() {}
        });
        RunningPipeline running = source.async()
                .to(Sink.custom("one", context -> upstream -> {
                    upstream.pull(Stage.NEVER);
                    waits.await();
                }))
                .named(name)
                .run();
        assertThat(running.await().drained()).isTrue();
    }

    @Test
    void interruption_ofTheSegmentAbove_isNotTakenForTheEnd() {
        List<Source<Integer>> sources = List.of(
                interruptedSource().async(),
                interruptedSource().mapParallel(2, n -> n),
                interruptedSource().mapBlocking(2, Ordering.unordered(), n -> n));
        for (Source<Integer> source : sources) {
            AtomicBoolean sawTheEnd = new AtomicBoolean();
            RunningPipeline running = source.to(Sink.custom("sink", context -> upstream -> {
                        if (upstream.pull(Stage.NEVER) == null) {
                            sawTheEnd.set(true);
                        }
                    }))
                    .named(name)
                    .run();
            assertThatThrownBy(running::await)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("interrupted from outside");
            assertThat(sawTheEnd).isFalse();
        }
    }

    private static Source<Integer> interruptedSource() {
        return Source.custom("interrupted", context -> new Stage<>() {
            @Override
            public Batch<Integer> pull(long deadlineNanos) throws InterruptedException {
                throw new InterruptedException();
            }

            @Override
            public void close() {}
        });
    }
}
