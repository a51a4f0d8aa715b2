package dev.weir.stream.internal.parallel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.Attributes;
import dev.weir.stream.Dispatcher;
import dev.weir.stream.Ordering;
import dev.weir.stream.Parallelism;
import dev.weir.stream.Supervision;
import dev.weir.stream.internal.failure.SupervisedCall;
import dev.weir.stream.internal.run.StageAttributes;
import dev.weir.stream.internal.run.TaskGroup;
import dev.weir.stream.internal.workers.WorkerLimit;
import dev.weir.stream.internal.workers.WorkerTasks;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class AsyncStageTest {

    private @Nullable AsyncStage<Integer, Integer> stage;

    // Regression: an unneeded future kept running, and a circuit breaker waited for it.
    @Test
    void future_thatTheFunctionGivesAfterTheClose_isCancelled() throws InterruptedException {
        CompletableFuture<Integer> late = new CompletableFuture<>();
        AsyncStage<Integer, Integer> made = new AsyncStage<>(
                new WorkerLimit(Parallelism.fixed(1), 0),
                Ordering.input(),
                element -> {
                    Objects.requireNonNull(stage).close();
                    return late;
                },
                SupervisedCall.by(
                        new StageAttributes(Attributes.named("test").withSupervision(Supervision.fail())),
                        Clock.SYSTEM),
                new StageMeter(),
                new WorkerTasks(new TaskGroup("test", escaped -> {}), Dispatcher.virtual(), "test"),
                Clock.SYSTEM,
                8);
        stage = made;
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
}
