package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.control.StageControl;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.testing.RestProbe;
import dev.weir.stream.testing.VirtualClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests parallel stages whose dispatcher refuses a thread, or whose acknowledgement target throws. The stage must fail
 * and abandon all its elements.
 */
class RefusedForkTest {

    private final Dispatcher refusing = Dispatcher.fixed("refusing", 2);

    @BeforeEach
    @AfterEach
    void close() {
        refusing.close();
    }

    /** Regression: elements were lost if a batch was larger than the stage's capacity. */
    @Test
    void stage_withoutItsFirstThread_leavesNoHole() throws Exception {
        for (UnaryOperator<Source<Integer>> stage : List.<UnaryOperator<Source<Integer>>>of(
                s -> s.mapBlocking(2, Ordering.input(), n -> n).with(Attributes.NONE.withDispatcher(refusing)),
                s -> s.mapBlocking(2, Ordering.byKey(n -> n % 3), n -> n)
                        .with(Attributes.NONE.withDispatcher(refusing)),
                s -> s.mapParallel(2, n -> n).with(Attributes.NONE.withDispatcher(refusing)),
                s -> s.scanAsync(0, (sum, n) -> CompletableFuture.completedFuture(n))
                        .mapBlocking(1, Ordering.unordered(), n -> n)
                        .with(Attributes.NONE.withDispatcher(refusing)))) {
            TrackedSource<Integer> source = TrackedSource.numbers(4_000, 2_000);
            try (RunningPipeline running = source.source()
                    .groupBy(n -> 0, 1, key -> stage.apply(key).recover(refused -> -1))
                    .to(Sink.ignore())
                    .run()) {
                running.await();
            }
            source.assertAllFinished();
        }
    }

    /** Regression: the downstream stages waited forever. */
    @Test
    void mapParallel_thatCannotStartAnotherWorker_failsThePipeline() throws Exception {
        Dispatcher closing = Dispatcher.fixed("closing", 2);
        TrackedSource<Integer> source = TrackedSource.numbers(100, 50).heldOpen();
        CountDownLatch atWork = new CountDownLatch(1);
        CountDownLatch mayReturn = new CountDownLatch(1);
        RunningPipeline running = source.source()
                .mapParallel(1, n -> {
                    atWork.countDown();
                    mayReturn.await();
                    return n;
                })
                .with(Attributes.NONE.withDispatcher(closing))
                .to(Sink.ignore())
                .run();
        atWork.await();
        closing.close();
        StageControl control = running.handles(StageControl.class).getFirst();
        assertThatThrownBy(() -> control.parallelism(2)).hasMessageContaining("closing");
        mayReturn.countDown();
        assertThatThrownBy(running::await).hasMessageContaining("closing");
        source.assertProtocolKept();
    }

    /** A completion makes elements ready while the feeding thread waits for input. They cannot be started. */
    @Test
    void mapAsync_thatCannotStartWhatBecameReady_leavesNoHole() throws Exception {
        CompletableFuture<Integer> first = new CompletableFuture<>();
        CountDownLatch recovered = new CountDownLatch(1);
        TrackedSource<Integer> source = TrackedSource.numbers(3, 3).heldOpen();
        try (RunningPipeline running = source.source()
                .groupBy(
                        n -> 0,
                        1,
                        key -> key.mapAsync(2, Ordering.byKey(n -> 0), n -> first)
                                .with(Attributes.NONE.withDispatcher(refusing))
                                .recover(refused -> {
                                    recovered.countDown();
                                    return -1;
                                }))
                .to(Sink.ignore())
                .on(new VirtualClock())
                .run()) {
            assertThat(new RestProbe(running).awaitRest(Duration.ofSeconds(30))).isTrue();
            first.complete(1);
            recovered.await();
            running.stop();
            running.await();
        }
        source.assertAllFinished();
    }

    /** The thread that calls mapAsync's function fails in the middle of its elements. */
    @Test
    void mapAsync_whoseTargetThrows_leavesNoHole() throws Exception {
        AtomicIntegerArray acks = new AtomicIntegerArray(5);
        AckTarget throwing = new AckTarget() {
            @Override
            public void ack(long token) {
                acks.incrementAndGet((int) token);
            }

            @Override
            public void retain(long token, int claims) {}

            @Override
            public boolean dropIfRevoked(long token) {
                if (token == 2) {
                    throw new IllegalStateException("planted");
                }
                return false;
            }
        };
        long[] tokens = {0, 1, 2, 3, 4};
        Source<Integer> source = Source.custom(
                "throwing", context -> new Once(Batch.of(new Object[] {0, 1, 2, 3, 4}, 5, throwing, tokens)));
        try (RunningPipeline running = source.groupBy(
                        n -> 0,
                        1,
                        key -> key.mapAsync(4, CompletableFuture::completedFuture)
                                .recover(failure -> -1))
                .to(Sink.ignore())
                .run()) {
            running.await();
        }
        assertThat(acks).hasToString("[1, 1, 1, 1, 1]");
    }

    /** Regression: several elements arrived together. The elements after the refused acknowledgement stayed pending. */
    @Test
    void switchMap_whoseTargetThrows_leavesNoHole() throws Exception {
        assertThat(endingsIn(key -> key.switchMap(Source::of))).hasToString("[1, 1, 1, 1, 1]");
    }

    /**
     * Regression: the elements that had already been routed, and the elements after the failed call, stayed pending.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void partitionHub_whoseTargetOrRouteThrows_leavesNoHole(boolean throwsInRoute) throws Exception {
        PartitionHub<Integer> hub = PartitionHub.create(100, 1, (n, takers) -> {
            if (throwsInRoute && n == 3) {
                throw new IllegalStateException("planted");
            }
            return n % 3 == 2 ? PartitionHub.Route.NOBODY : 0;
        });
        RunningPipeline taker = hub.source().to(Sink.ignore()).run();
        AtomicIntegerArray endings = new AtomicIntegerArray(5);
        RunningPipeline feed =
                once(endings, throwsInRoute ? -1 : 2).to(hub.sink()).run();
        assertThatThrownBy(feed::await).hasMessageContaining("planted");
        hub.close();
        taker.await();
        assertThat(endings).hasToString("[1, 1, 1, 1, 1]");
    }

    /**
     * Counts the ends of each acknowledgement in an inner stream that recovers. The acknowledgement of element 2
     * throws.
     */
    private static AtomicIntegerArray endingsIn(UnaryOperator<Source<Integer>> stage) throws Exception {
        AtomicIntegerArray endings = new AtomicIntegerArray(5);
        try (RunningPipeline running = once(endings, 2)
                .groupBy(n -> 0, 1, key -> stage.apply(key).recover(failure -> -1))
                .to(Sink.ignore())
                .run()) {
            running.await();
        }
        return endings;
    }

    /** Returns a source of five elements in one batch that counts the ends of their acknowledgements. */
    private static Source<Integer> once(AtomicIntegerArray endings, int throwing) {
        AckTarget target = new AckTarget() {
            @Override
            public void ack(long token) {
                endings.incrementAndGet((int) token);
                if (token == throwing) {
                    throw new IllegalStateException("planted");
                }
            }

            @Override
            public void abandon(long token) {
                endings.incrementAndGet((int) token);
            }

            @Override
            public void retain(long token, int claims) {}
        };
        long[] tokens = {0, 1, 2, 3, 4};
        return Source.custom("once", context -> new Once(Batch.of(new Object[] {0, 1, 2, 3, 4}, 5, target, tokens)));
    }

    /** A source of one batch. */
    private static final class Once implements Stage<Integer> {

        private @Nullable Batch<Integer> batch;

        Once(Batch<Integer> batch) {
            this.batch = batch;
        }

        @Override
        public @Nullable Batch<Integer> pull(long deadlineNanos) {
            Batch<Integer> only = batch;
            batch = null;
            return only;
        }

        @Override
        public void close() {}
    }

    @Test
    void stage_withoutItsFirstThread_failsThePipelineWithItsName() {
        TrackedSource<Integer> source = TrackedSource.numbers(4_000, 2_000);
        RunningPipeline running = source.source()
                .mapBlocking(2, Ordering.input(), n -> n)
                .with(Attributes.NONE.withDispatcher(refusing))
                .to(Sink.ignore())
                .run();
        assertThatThrownBy(running::await).hasMessageContaining("refusing").hasMessageContaining("is it closed?");
        source.assertProtocolKept();
        assertThat(source.finishedCount()).isZero();
    }
}
