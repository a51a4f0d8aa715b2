package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.testing.SourceProbe;
import dev.weir.stream.testing.VirtualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that a pull ends at its deadline whatever the stage holds. */
class GroupingDeadlineTest {

    private static final Duration HOUR = Duration.ofHours(1);

    static Stream<Arguments> fused() {
        return Stream.of(
                operator("grouped", source -> source.grouped(10)),
                operator("groupedWithin", source -> source.groupedWithin(10, HOUR)),
                operator("groupedWeightedWithin", source -> source.groupedWeightedWithin(10, HOUR, n -> 0)),
                operator("sliding", source -> source.sliding(10, 1)),
                operator("sliding, skipping", source -> source.sliding(1, 10).filter(window -> false)),
                operator("throttle", source -> source.throttle(1, HOUR, 1, n -> 2, ThrottleMode.SHAPING)),
                operator(
                        "throttle, dropping",
                        source -> source.throttle(
                                        1,
                                        HOUR,
                                        1,
                                        n -> {
                                            throw new IllegalArgumentException();
                                        },
                                        ThrottleMode.SHAPING)
                                .with(Attributes.NONE.withSupervision(Supervision.skip()))),
                operator(
                        "throttlePerKey",
                        source -> source.throttlePerKey(1, HOUR, 1, n -> 0).drop(1)),
                operator(
                        "throttlePerKey, full",
                        source -> source.throttlePerKey(1, HOUR, 1, n -> 0, 1).drop(1)),
                operator("delay", source -> source.delay(HOUR)),
                operator("delay, full", source -> source.delay(n -> HOUR, 1)),
                operator("debounce", source -> source.debounce(HOUR)),
                operator("sample", source -> source.sample(HOUR)),
                operator("takeWithin", source -> source.filter(n -> false).takeWithin(HOUR)),
                operator("dropWithin", source -> source.dropWithin(HOUR)),
                operator("initialDelay", source -> source.initialDelay(HOUR)));
    }

    static Stream<Arguments> all() {
        return Stream.concat(
                fused(),
                Stream.of(
                        operator("batch", source -> source.filter(n -> false).batch(10, n -> n, (a, n) -> n)),
                        operator("conflate", source -> source.filter(n -> false).conflate((a, n) -> n)),
                        operator(
                                "expand",
                                source -> source.expand(n -> List.<Integer>of().iterator())),
                        operator("buffer", source -> source.filter(n -> false).buffer(10, OverflowStrategy.DROP_NEW))));
    }

    private static Arguments operator(String name, Function<Source<Integer>, Source<?>> stage) {
        return Arguments.of(Named.of(name, stage));
    }

    /** Returns the size of the batch, or -1 at the end. */
    private static int sizeOf(@Nullable Batch<?> batch) {
        return batch == null ? -1 : batch.size();
    }

    @ParameterizedTest
    @MethodSource("all")
    void pull_withADeadline_isEmptyWhenItComes(Function<Source<Integer>, Source<Object>> stage) throws Exception {
        VirtualClock clock = new VirtualClock();
        SourceProbe<Integer> in = new SourceProbe<>();
        in.emit(1, 2);
        CompletableFuture<Integer> came = new CompletableFuture<>();
        Sink<Object> once =
                Sink.custom("once", context -> upstream -> came.complete(sizeOf(upstream.pull(clock.after(100)))));
        try (RunningPipeline running =
                stage.apply(in.source()).to(once).on(clock).run()) {
            clock.awaitWaiters(1);
            clock.advance(Duration.ofNanos(99));
            assertThat(came).isNotDone();
            clock.advance(Duration.ofNanos(1));
            assertThat(came.get()).isZero();
            running.await();
        }
    }

    @ParameterizedTest
    @MethodSource("fused")
    void pull_overAnInputThatCannotWait_doesNotWaitEither(Function<Source<Integer>, Source<Object>> stage)
            throws Exception {
        VirtualClock clock = new VirtualClock();
        AtomicInteger pulls = new AtomicInteger();
        Source<Integer> impatient = Source.custom("impatient", context -> new Stage<Integer>() {
            @Override
            public Batch<Integer> pull(long deadlineNanos) {
                Batch<Integer> batch = new Batch<>(1);
                if (pulls.incrementAndGet() == 1) {
                    batch.add(1, AckTarget.NONE, 0);
                }
                return batch;
            }

            @Override
            public void close() {}
        });
        List<Integer> sizes = new ArrayList<>();
        Sink<Object> twice = Sink.custom("twice", context -> upstream -> {
            for (int i = 0; i < 2; i++) {
                sizes.add(sizeOf(upstream.pull(clock.after(100))));
            }
        });
        try (RunningPipeline running =
                stage.apply(impatient).to(twice).on(clock).run()) {
            // An operator may hold an element and wait. Only the deadline ends such a pull.
            while (!running.completion().isDone()) {
                clock.advance(Duration.ofNanos(100));
                Thread.onSpinWait();
            }
            running.await();
        }
        assertThat(sizes).containsExactly(0, 0);
        assertThat(pulls.get()).isLessThanOrEqualTo(4);
    }
}
