package dev.weir.stream.internal.parallel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.Attributes;
import dev.weir.stream.Dispatcher;
import dev.weir.stream.Ordering;
import dev.weir.stream.Parallelism;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import dev.weir.stream.Supervision;
import dev.weir.stream.Supervision.Decision;
import dev.weir.stream.control.StageControl;
import dev.weir.stream.internal.failure.SupervisedCall;
import dev.weir.stream.internal.run.StageAttributes;
import dev.weir.stream.internal.run.TaskGroup;
import dev.weir.stream.internal.workers.WorkerLimit;
import dev.weir.stream.internal.workers.WorkerTasks;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AsyncStageTest {

    private @Nullable AsyncStage<Integer, Integer> stage;
    private final List<String> ends = new ArrayList<>();
    private final AckTarget target = new AckTarget() {
        @Override
        public void ack(long token) {
            ends.add("ack " + token);
        }

        @Override
        public void abandon(long token) {
            ends.add("abandon " + token);
        }

        @Override
        public void retain(long token, int count) {}
    };

    private AsyncStage<Integer, Integer> make(
            Supervision supervision, Function<Integer, CompletionStage<Integer>> function) {
        AsyncStage<Integer, Integer> made = new AsyncStage<>(
                new WorkerLimit(Parallelism.fixed(2), 0),
                Ordering.input(),
                function,
                SupervisedCall.by(
                        new StageAttributes(Attributes.named("test").withSupervision(supervision)), Clock.SYSTEM),
                new StageMeter(),
                new WorkerTasks(new TaskGroup("test", escaped -> {}), Dispatcher.virtual(), "test"),
                Clock.SYSTEM,
                8);
        stage = made;
        return made;
    }

    private void feed(AsyncStage<Integer, Integer> made, int from, int to) throws InterruptedException {
        Batch<Integer> batch = new Batch<>(to - from);
        for (int n = from; n < to; n++) {
            batch.add(n, target, n);
        }
        assertThat(made.add(batch, new long[0], new StageMeter())).isTrue();
    }

    /** The close no longer finds the element in flight, so only the completion can end its acknowledgement. */
    @ParameterizedTest
    @CsvSource({"SKIP, ack 5", "FAIL, abandon 5", "SKIP_UNACKNOWLEDGED,"})
    void failure_whoseDecisionComesAfterTheClose_endsItsElementOnce(Decision decision, @Nullable String end)
            throws Exception {
        CompletableFuture<Integer> future = new CompletableFuture<>();
        AsyncStage<Integer, Integer> made = make(
                Supervision.of(failure -> {
                    Objects.requireNonNull(stage).close();
                    return decision;
                }),
                n -> future);
        feed(made, 5, 6);
        future.completeExceptionally(new IllegalStateException("planted"));
        assertThat(ends).isEqualTo(end == null ? List.of() : List.of(end));
    }

    @Test
    void close_cancelsFuturesAndAbandonsAllThatHasNotLeft() throws Exception {
        List<CompletableFuture<Integer>> futures = new ArrayList<>();
        AsyncStage<Integer, Integer> made = make(Supervision.fail(), n -> {
            CompletableFuture<Integer> future = new CompletableFuture<>();
            futures.add(future);
            return future;
        });
        feed(made, 0, 2);
        futures.get(1).complete(10);
        assertThat(made.depth()).isEqualTo(2);
        made.close();
        assertThat(futures.getFirst()).isCancelled();
        assertThat(ends).containsExactlyInAnyOrder("abandon 0", "abandon 1");
        futures.getFirst().complete(7);
        made.close();
        assertThat(ends).hasSize(2);
    }

    /** An interrupt in a call must not look like an interrupt of the thread that pulls the stage. */
    @Test
    void interruptedCall_failsTheStage_withAWrapper() throws Exception {
        CompletableFuture<Integer> future = new CompletableFuture<>();
        AsyncStage<Integer, Integer> made = make(Supervision.skip(), n -> future);
        feed(made, 0, 1);
        InterruptedException interrupted = new InterruptedException("planted");
        future.completeExceptionally(interrupted);
        assertThatThrownBy(() -> made.pull(Stage.NEVER))
                .isInstanceOf(CompletionException.class)
                .hasCause(interrupted);
        made.close();
        assertThat(ends).containsExactly("abandon 0");
    }

    @Test
    void pull_returnsAnEmptyBatchAtTheDeadline_andResultsInOrder() throws Exception {
        List<CompletableFuture<Integer>> futures = new ArrayList<>();
        AsyncStage<Integer, Integer> made = make(Supervision.fail(), n -> {
            CompletableFuture<Integer> future = new CompletableFuture<>();
            futures.add(future);
            return future;
        });
        feed(made, 0, 2);
        futures.get(1).complete(11);
        assertThat(made.pull(System.nanoTime())).isNotNull().matches(Batch::isEmpty);
        futures.get(0).complete(10);
        Batch<Integer> results = Objects.requireNonNull(made.pull(Stage.NEVER));
        assertThat(results.size()).isEqualTo(2);
        assertThat(results.get(0)).isEqualTo(10);
        assertThat(results.get(1)).isEqualTo(11);
        assertThat(results.token(1)).isEqualTo(1);
        assertThat(ends).isEmpty();
        made.close();
    }

    // Regression: an unneeded future kept running, and a circuit breaker waited for it.
    @Test
    void future_thatTheFunctionGivesAfterTheClose_isCancelled() throws InterruptedException {
        CompletableFuture<Integer> late = new CompletableFuture<>();
        AsyncStage<Integer, Integer> made = make(Supervision.fail(), element -> {
            Objects.requireNonNull(stage).close();
            return late;
        });
        made.feed(
                new Stage<>() {
                    private boolean through;

                    @Override
                    public @Nullable Batch<Integer> pull(long deadlineNanos) {
                        Batch<Integer> next = through ? null : Batch.unacknowledged(new Object[] {1}, 1);
                        through = true;
                        return next;
                    }

                    @Override
                    public void close() {}
                },
                new StageMeter());
        assertThat(late).isCancelled();
    }

    @ParameterizedTest
    @CsvSource({
        "2, 0, 512",
        "64, 0, 512",
        "65, 0, 1024",
        "3, 10, 16",
        "5, 2, 8",
        "4, 8, 8",
        "9, 8, 16",
        "1, 2147483647, 1048576"
    })
    void capacity_isAPowerOfTwo_forTheBufferOrForEightElementsPerCall(int parallelism, int buffer, int capacity)
            throws Exception {
        Source<Integer> never = Source.<Integer>never().mapAsync(parallelism, CompletableFuture::completedFuture);
        Source<Integer> staged = buffer == 0 ? never : never.with(Attributes.NONE.withBuffer(buffer));
        try (RunningPipeline running = staged.to(Sink.ignore()).run()) {
            StageControl control = running.handles(StageControl.class).getFirst();
            assertThat(control.mostAtOnce()).isEqualTo(capacity);
            running.cancel();
        }
    }
}
