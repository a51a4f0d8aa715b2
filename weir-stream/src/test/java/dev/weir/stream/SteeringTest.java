package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.control.DispatcherControl;
import dev.weir.stream.control.StageControl;
import dev.weir.stream.control.ThreadActivity;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests changes of parallelism and of dispatchers' sizes while elements are in flight. */
@Timeout(60)
class SteeringTest {

    private static final int ELEMENTS = 20_000;

    private final AtomicInteger atWork = new AtomicInteger();
    private final AtomicInteger mostAtWork = new AtomicInteger();
    private final Semaphore mayEnd = new Semaphore(0);

    /** Stages that work on several elements at once and keep their order. */
    enum Kind {
        BLOCKING,
        ASYNC,
        PARALLEL
    }

    private Integer work(Integer element) throws InterruptedException {
        int now = atWork.incrementAndGet();
        mostAtWork.accumulateAndGet(now, Math::max);
        try {
            mayEnd.acquire();
            return element;
        } finally {
            atWork.decrementAndGet();
        }
    }

    private Source<Integer> stage(Kind kind, Source<Integer> numbers, int n) {
        return switch (kind) {
            case BLOCKING ->
                numbers.mapBlocking(n, Ordering.input(), this::work).named("work");
            case ASYNC ->
                numbers.mapAsync(
                                n,
                                element -> CompletableFuture.supplyAsync(
                                        () -> {
                                            try {
                                                return work(element);
                                            } catch (InterruptedException e) {
                                                throw new IllegalStateException(e);
                                            }
                                        },
                                        task -> Thread.ofVirtual().start(task)))
                        .named("work");
            case PARALLEL ->
                numbers.mapParallel(Parallelism.fixed(n), this::work)
                        .with(Attributes.NONE.withDispatcher(pool))
                        .named("work");
        };
    }

    private final Dispatcher pool = Dispatcher.fixed("steered", 16);

    private void awaitAtWork(int n) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (atWork.get() != n && System.nanoTime() < end) {
            Thread.onSpinWait();
        }
        assertThat(atWork).hasValue(n);
    }

    @ParameterizedTest
    @EnumSource
    void parallelism_raisedAndLowered_holdsAtOnceAndKeepsOrder(Kind kind) throws Exception {
        List<Integer> out = Collections.synchronizedList(new ArrayList<>());
        List<Integer> in = IntStream.range(0, ELEMENTS).boxed().toList();
        try (RunningPipeline running =
                stage(kind, Source.from(in), 2).to(Sink.forEach(out::add)).run()) {
            StageControl control = running.handles(StageControl.class).getFirst();
            assertThat(control.stage()).isEqualTo("work");
            assertThat(control.parallelism()).isEqualTo(2);
            awaitAtWork(2);

            control.parallelism(9);
            awaitAtWork(9);
            assertThat(control.parallelism()).isEqualTo(9);

            control.parallelism(1);
            // Running handlers finish only their current chunks, which belong to the first batches.
            mayEnd.release(4_000);
            awaitOut(out, 2_048);
            mostAtWork.set(0);
            mayEnd.release(500);
            // Wait for more elements than could be in progress at the change.
            awaitOut(out, 4_096);
            assertThat(mostAtWork.get()).isEqualTo(1);

            control.parallelism(16);
            mayEnd.release(ELEMENTS);
            assertThat(running.await().drained()).isTrue();
        }
        assertThat(out).isEqualTo(in);
        pool.close();
    }

    private static void awaitOut(List<Integer> out, int n) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (out.size() < n && System.nanoTime() < end) {
            Thread.onSpinWait();
        }
        assertThat(out.size()).isGreaterThanOrEqualTo(n);
    }

    @Test
    void parallelism_changedAtRandom_losesAndDoublesNothing() throws Exception {
        ConcurrentLinkedQueue<Integer> out = new ConcurrentLinkedQueue<>();
        List<Integer> in = IntStream.range(0, 200_000).boxed().toList();
        try (RunningPipeline running = Source.from(in)
                .mapBlocking(4, Ordering.input(), element -> element)
                .named("first")
                .mapParallel(Parallelism.fixed(2), element -> element)
                .with(Attributes.NONE.withDispatcher(pool))
                .named("second")
                .to(Sink.forEach(out::add))
                .run()) {
            List<StageControl> controls = running.handles(StageControl.class);
            DispatcherControl dispatcher = steered(running);
            for (int i = 0; !running.completion().isDone(); i++) {
                try {
                    controls.get(i % 2).parallelism(1 + (i * 7) % 8);
                    dispatcher.size(8 + i % 9);
                } catch (IllegalStateException ended) {
                    assertThat(ended).hasMessageContaining("has ended");
                }
            }
            assertThat(running.await().drained()).isTrue();
        }
        assertThat(out).containsExactlyElementsOf(in);
        pool.close();
    }

    private static DispatcherControl steered(RunningPipeline running) {
        return running.handles(DispatcherControl.class).stream()
                .filter(each -> each.snapshot().name().equals("steered"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void parallelism_outOfBounds_isRefusedWithThem() throws Exception {
        RunningPipeline running = stage(Kind.BLOCKING, Source.from(List.of(1)), 2)
                .to(Sink.ignore())
                .run();
        StageControl control = running.handles(StageControl.class).getFirst();
        // Check while the element is being processed: an ended stage has no bounds.
        awaitAtWork(1);
        assertThat(control.mostAtOnce()).isEqualTo(512);
        mayEnd.release();
        running.await();
        assertThatThrownBy(() -> control.parallelism(3))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("work");
    }

    /** New threads must not count as waiting before their start. The time of removed threads must still count. */
    @Test
    void shares_afterAChangeOfParallelism_areOfTheTimeThatTheThreadsWereThere() throws Exception {
        try (RunningPipeline running = stage(Kind.BLOCKING, Source.from(List.of(1, 2)), 2)
                .to(Sink.ignore())
                .run()) {
            awaitAtWork(2);
            awaitElapsed(running, TimeUnit.MILLISECONDS.toNanos(300));
            StageControl control = running.handles(StageControl.class).getFirst();
            control.parallelism(100);
            StageSnapshot raised = work(running);
            assertThat(raised.blockedUpNanos()).isLessThan(50 * raised.elapsedNanos());
            control.parallelism(1);
            StageSnapshot lowered = work(running);
            assertThat(lowered.busyShare() + lowered.blockedUpShare() + lowered.blockedDownShare())
                    .isLessThanOrEqualTo(1.0001);
            assertThat(lowered.blockedUpNanos()).isGreaterThanOrEqualTo(raised.blockedUpNanos());
            mayEnd.release(2);
            running.await();
        }
    }

    private static StageSnapshot work(RunningPipeline running) {
        return running.stages().stream()
                .filter(stage -> stage.name().equals("work"))
                .findFirst()
                .orElseThrow();
    }

    private static void awaitElapsed(RunningPipeline running, long nanos) {
        while (work(running).elapsedNanos() < nanos) {
            Thread.onSpinWait();
        }
    }

    @Test
    void dispatcher_underItsSegments_isRefused() throws Exception {
        mayEnd.release(ELEMENTS);
        UnaryOperator<Integer> same = element -> element;
        try (RunningPipeline running = Source.from(List.of(1))
                .map(same)
                .async(pool, 512)
                .mapParallel(Parallelism.fixed(2), element -> element)
                .with(Attributes.NONE.withDispatcher(pool))
                .to(Sink.ignore())
                .run()) {
            DispatcherControl control = steered(running);
            assertThat(control.fewest()).isEqualTo(2);
            assertThatThrownBy(() -> control.size(1))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("steered")
                    .hasMessageContaining("2");
            control.size(3);
            assertThat(pool.size()).isEqualTo(3);
        }
        pool.close();
    }

    @Test
    void resize_ofADispatcherWithoutASize_isRefused() {
        try (Dispatcher single = Dispatcher.single("alone")) {
            assertThatThrownBy(() -> single.resize(2)).isInstanceOf(UnsupportedOperationException.class);
            assertThatThrownBy(() -> Dispatcher.virtual().resize(2)).isInstanceOf(UnsupportedOperationException.class);
            assertThatThrownBy(() -> pool.resize(0)).hasMessageContaining("steered");
        }
        try (Dispatcher stealing = Dispatcher.forkJoin("stealing", 2)) {
            stealing.resize(5);
            assertThat(stealing.snapshot().size()).isEqualTo(5);
            for (int i = 0; i < 5; i++) {
                stealing.execute(() -> {
                    try {
                        work(1);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
            }
            awaitAtWork(5);
            mayEnd.release(5);
        }
        pool.close();
    }

    @Test
    void threads_ofARun_areCountedByWhatTheyDo() throws Exception {
        try (RunningPipeline running = stage(Kind.PARALLEL, Source.from(List.of(1, 2, 3)), 1)
                .to(Sink.ignore())
                .run()) {
            awaitAtWork(1);
            ThreadActivity threads = running.handles(ThreadActivity.class).getFirst();
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
            while (parkedOn("steered", threads) == 0 && System.nanoTime() < end) {
                Thread.onSpinWait();
            }
            assertThat(parkedOn("steered", threads)).isPositive();
            assertThat(threads.now())
                    .extracting(ThreadActivity.Counts::dispatcher)
                    .contains("steered", "virtual");
            mayEnd.release(3);
            running.await();
            assertThat(threads.now()).isEmpty();
        }
        pool.close();
    }

    private static int parkedOn(String dispatcher, ThreadActivity threads) {
        return threads.now().stream()
                .filter(each -> each.dispatcher().equals(dispatcher))
                .mapToInt(ThreadActivity.Counts::parked)
                .sum();
    }
}
