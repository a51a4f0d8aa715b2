package dev.weir.stream.internal.failure;

import dev.weir.stream.Dispatcher;
import dev.weir.stream.StreamTimeoutException;
import dev.weir.stream.StreamTimeoutException.Kind;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.TaskGroup;
import dev.weir.stream.internal.run.TaskGroup.Task;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageContext;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Fails the pipeline if the downstream stages take too long to request more elements. A separate task checks the
 * timeout. Confined to the stage's thread, except for the task, which reads a volatile field.
 */
final class BackPressureTimeoutStage<T> implements Stage<T> {

    private final Stage<T> upstream;
    private final Duration timeout;
    private final StageContext context;
    private final Clock clock;
    private final TaskGroup tasks;

    private @Nullable Task watchman;

    /** Deadline of the next pull; NEVER while a pull is in progress. Written only by the stage's thread. */
    private volatile long limitNanos = NEVER;

    private BackPressureTimeoutStage(Stage<T> upstream, Duration timeout, StageContext context, TaskGroup tasks) {
        this.upstream = upstream;
        this.timeout = timeout;
        this.context = context;
        this.clock = context.clock();
        this.tasks = tasks;
    }

    static <T> BlueprintNode<T> node(BlueprintNode<T> above, Duration timeout) {
        return new BlueprintNode<>("backpressureTimeout", (assembly, attributes) -> {
            Stage<T> upstream = above.build(assembly);
            return new BackPressureTimeoutStage<>(upstream, timeout, assembly.fused(attributes), assembly.tasks());
        });
    }

    @Override
    public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
        limitNanos = NEVER;
        if (watchman == null) {
            watchman = tasks.fork(Dispatcher.virtual(), context.stageName(), this::watch);
        }
        Batch<T> batch = upstream.pull(deadlineNanos);
        if (batch != null && !batch.isEmpty()) {
            context.meter().in(batch.size());
            context.meter().out(batch.size());
            limitNanos = clock.after(timeout.toNanos());
        }
        return batch;
    }

    private void watch(Task self) {
        try {
            while (!self.isInterruptRequested()) {
                long limit = limitNanos;
                if (limit == NEVER) {
                    // The deadline for a batch emitted during this sleep is after the sleep.
                    clock.sleepUntil(clock.after(timeout.toNanos()));
                } else if (!clock.hasPassed(limit)) {
                    clock.sleepUntil(limit);
                } else if (limit == limitNanos) {
                    context.fail(new StreamTimeoutException(
                            Kind.BACK_PRESSURE, context.pipelineName(), context.stageName(), timeout));
                    return;
                }
            }
        } catch (InterruptedException ended) {
            // The stage was closed, or the run is over.
        }
    }

    @Override
    public void close() {
        if (watchman != null) {
            watchman.interrupt();
        }
        upstream.close();
    }
}
