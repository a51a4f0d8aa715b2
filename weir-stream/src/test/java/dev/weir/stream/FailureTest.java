package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests exceptions from user code in each place where the engine calls it. */
class FailureTest {

    private static final String NAME = "failing";

    private final IllegalStateException planted = new IllegalStateException("planted");
    private final List<String> events = new CopyOnWriteArrayList<>();

    @AfterEach
    void noThreadIsLeft() {
        ThreadCensus.assertNoneLeft(NAME);
    }

    /** Returns a thousand numbers. The source records its closing and its termination. */
    private Source<Integer> source() {
        return Source.custom("noting", context -> {
            context.onTermination(patience -> {
                events.add("terminated");
                return "";
            });
            return new Noting(null);
        });
    }

    private final class Noting implements Stage<Integer> {
        private final @Nullable RuntimeException onClose;
        private int next;

        Noting(@Nullable RuntimeException onClose) {
            this.onClose = onClose;
        }

        @Override
        public @Nullable Batch<Integer> pull(long deadlineNanos) {
            return next == 1000 ? null : Batch.unacknowledged(new Object[] {next++}, 1);
        }

        @Override
        public void close() {
            events.add("closed");
            if (onClose != null) {
                throw onClose;
            }
        }
    }

    private void assertFailsWithPlanted(Pipeline pipeline) {
        RunningPipeline running = pipeline.named(NAME).run();
        assertThatThrownBy(running::await).isSameAs(planted);
        running.close();
    }

    @Test
    void sinkFactory_thatThrows_leavesNothingOpen() {
        Pipeline pipeline = source().async().to(Sink.custom("broken", context -> {
            throw planted;
        }));
        assertThatThrownBy(pipeline::run).isSameAs(planted);
        assertThat(events).containsExactly("closed", "terminated");
    }

    @Test
    void sourceFactory_thatThrows_endsTheRunBeforeItBegins() {
        Source<Integer> broken = Source.custom("broken", context -> {
            context.onTermination(patience -> {
                events.add("terminated");
                return "";
            });
            throw planted;
        });
        assertThatThrownBy(broken.async().to(Sink.ignore())::run).isSameAs(planted);
        assertThat(events).containsExactly("terminated");
    }

    @Test
    void iterable_thatThrows_failsTheRun() {
        Source<Integer> broken = Source.from(() -> {
            throw planted;
        });
        assertThatThrownBy(broken.to(Sink.ignore())::run).isSameAs(planted);
        UnaryOperator<Integer> next = n -> {
            if (n == 700) {
                throw planted;
            }
            return n + 1;
        };
        assertFailsWithPlanted(
                Source.from(() -> Stream.iterate(0, next).iterator()).async().to(Sink.ignore()));
    }

    @Test
    void sinkLoop_thatThrows_failsThePipeline() {
        assertFailsWithPlanted(source().mapBlocking(3, Ordering.input(), n -> n)
                .to(Sink.custom("broken", context -> upstream -> {
                    Batch<Integer> ignored = upstream.pull(Stage.NEVER);
                    throw planted;
                })));
        assertThat(events).containsExactly("closed", "terminated");
    }

    @Test
    void close_thatThrows_failsThePipelineAfterItsElements() {
        List<Integer> seen = new ArrayList<>();
        Source<Integer> source = Source.custom("noting", context -> new Noting(planted));
        assertFailsWithPlanted(source.to(Sink.forEach(seen::add)));
        assertThat(events).containsExactly("closed");
        assertThat(seen).hasSize(1000);
    }

    @Test
    void termination_thatThrows_failsThePipelineAndTheOthersStillRun() {
        Pipeline pipeline = source().to(Sink.custom("sink", context -> {
            context.onTermination(patience -> {
                throw planted;
            });
            return upstream -> {
                while (upstream.pull(Stage.NEVER) != null) {}
            };
        }));
        assertFailsWithPlanted(pipeline);
        assertThat(events).containsExactly("closed", "terminated");
    }

    @Test
    void stopHook_thatThrows_doesNotKeepTheOthersFromRunning() {
        Source<Integer> source = Source.custom("stubborn", context -> {
            context.onStop(() -> {
                throw planted;
            });
            context.onStop(() -> events.add("stopped"));
            return new Noting(null);
        });
        CountDownLatch blocked = new CountDownLatch(1);
        RunningPipeline running = source.map(n -> {
                    events.add("called");
                    return n;
                })
                .to(Sink.custom("blocked", context -> upstream -> blocked.await()))
                .named(NAME)
                .run();
        running.stop();
        assertThatThrownBy(running::await).isSameAs(planted);
        assertThat(events).containsExactlyInAnyOrder("stopped", "closed");
    }

    @Test
    void gauge_thatThrows_doesNotKeepThePipelineFromEnding() throws Exception {
        Source<Integer> source = Source.custom("noting", context -> {
            context.depth(() -> {
                throw planted;
            });
            return new Noting(null);
        });
        try (RunningPipeline running = source.to(Sink.ignore()).named(NAME).run()) {
            assertThat(running.await().drained()).isTrue();
        }
    }

    @Test
    void handler_thatThrowsACheckedException_failsWithItAsTheCause() {
        IOException checked = new IOException("planted");
        List<Source<Integer>> sources = List.of(
                source().mapParallel(2, n -> {
                    throw checked;
                }),
                source().mapBlocking(2, Ordering.input(), n -> {
                    throw checked;
                }));
        for (Source<Integer> failing : sources) {
            RunningPipeline running = failing.to(Sink.ignore()).named(NAME).run();
            assertThatThrownBy(running::await)
                    .isInstanceOf(CompletionException.class)
                    .hasCause(checked);
        }
    }

    @Test
    void handler_thatThrowsAnInterruptedException_failsThePipeline() {
        RunningPipeline running = source().mapBlocking(2, Ordering.input(), n -> {
                    throw new InterruptedException("by the handler");
                })
                .async()
                .to(Sink.ignore())
                .named(NAME)
                .run();
        assertThatThrownBy(running::await)
                .isInstanceOf(CompletionException.class)
                .hasRootCauseMessage("by the handler");
    }

    @Test
    void nullResult_ofAnyFunction_failsThePipeline() {
        List<Source<Integer>> sources = List.of(
                source().map(n -> nothing()),
                source().mapConcat(n -> Arrays.asList(n, nothing())),
                source().mapParallel(2, n -> nothing()),
                source().mapBlocking(2, Ordering.unordered(), n -> nothing()));
        for (Source<Integer> failing : sources) {
            RunningPipeline running = failing.to(Sink.ignore()).named(NAME).run();
            assertThatThrownBy(running::await).isInstanceOf(NullPointerException.class);
        }
    }

    @SuppressWarnings("NullAway") // the point of the test
    private static Integer nothing() {
        return null;
    }

    static Stream<UnaryOperator<Source<Integer>>> stagesOnAClosedDispatcher() {
        Dispatcher closed = Dispatcher.fixed("closed", 2);
        closed.close();
        return Stream.of(
                source -> source.async(closed, 10),
                source -> source.async().async(closed, 10).async(),
                source -> source.mapParallel(2, n -> n).with(Attributes.NONE.withDispatcher(closed)),
                source -> source.mapBlocking(2, Ordering.byKey(n -> n), n -> n)
                        .with(Attributes.NONE.withDispatcher(closed)));
    }

    @ParameterizedTest
    @MethodSource("stagesOnAClosedDispatcher")
    void dispatcher_thatIsClosed_failsThePipelineAndTheSourceIsClosed(UnaryOperator<Source<Integer>> stage) {
        RunningPipeline running =
                stage.apply(source()).to(Sink.ignore()).named(NAME).run();
        assertThatThrownBy(running::await)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed (FIXED, 2) takes no tasks");
        assertThat(events).containsExactly("closed", "terminated");
    }

    @Test
    void dispatcher_withFewerThreadsThanItsSegmentsOccupy_isRefused() {
        try (Dispatcher single = Dispatcher.single("one")) {
            assertThatThrownBy(source().async(single, 1).async(single, 1).to(Sink.ignore())::run)
                    .hasMessageContaining("needs at least 2 threads of dispatcher one");
            assertThatThrownBy(source().async(single, 1)
                            .mapParallel(1, n -> n)
                            .with(Attributes.NONE.withDispatcher(single))
                            .to(Sink.ignore())::run)
                    .hasMessageContaining("needs at least 2 threads of dispatcher one");
            assertThat(events).containsExactly("closed", "terminated", "closed", "terminated");
        }
    }

    @Test
    void cancel_whileTasksQueueBehindStrangersOnAPool_doesNotWaitForThem() throws Exception {
        CountDownLatch busy = new CountDownLatch(1);
        try (Dispatcher pool = Dispatcher.fixed("crowded", 1)) {
            pool.execute(() -> {
                try {
                    busy.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
            List<Source<Integer>> sources = List.of(
                    source().async(pool, 10),
                    source().mapParallel(1, n -> n).with(Attributes.NONE.withDispatcher(pool)),
                    source().mapBlocking(3, Ordering.input(), n -> n).with(Attributes.NONE.withDispatcher(pool)));
            for (Source<Integer> waiting : sources) {
                RunningPipeline running = waiting.to(Sink.ignore()).named(NAME).run();
                running.cancel();
                TrackedRun.awaitEnd(running);
            }
            assertThat(events).containsExactly("closed", "terminated", "closed", "terminated", "closed", "terminated");
            busy.countDown();
        }
    }
}
