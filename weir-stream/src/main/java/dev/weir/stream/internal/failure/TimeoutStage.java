package dev.weir.stream.internal.failure;

import dev.weir.stream.StreamTimeoutException;
import dev.weir.stream.StreamTimeoutException.Kind;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.waiting.DeadlineArithmetic;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageContext;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Fails if the upstream stages take too long to emit each element, to emit the first element, or to complete. Confined
 * to the stage's thread.
 */
final class TimeoutStage<T> implements Stage<T> {

    private final Stage<T> upstream;
    private final Kind kind;
    private final Duration timeout;
    private final StageContext context;
    private final Clock clock;

    /** Deadline of the next event; NEVER if there is none. */
    private long limitNanos;

    private TimeoutStage(Stage<T> upstream, Kind kind, Duration timeout, StageContext context) {
        this.upstream = upstream;
        this.kind = kind;
        this.timeout = timeout;
        this.context = context;
        this.clock = context.clock();
        this.limitNanos = kind == Kind.IDLE ? NEVER : clock.after(timeout.toNanos());
    }

    static <T> BlueprintNode<T> node(BlueprintNode<T> above, String name, Kind kind, Duration timeout) {
        return new BlueprintNode<>(name, (assembly, attributes) -> {
            Stage<T> upstream = above.build(assembly);
            return new TimeoutStage<>(upstream, kind, timeout, assembly.fused(attributes));
        });
    }

    @Override
    public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
        if (kind == Kind.IDLE && limitNanos == NEVER) {
            limitNanos = clock.after(timeout.toNanos());
        }
        if (kind == Kind.COMPLETION && clock.hasPassed(limitNanos)) {
            // Check before the pull: upstream stages that always have an element ready never wait for the deadline.
            throw failure();
        }
        Batch<T> batch = upstream.pull(DeadlineArithmetic.earlier(deadlineNanos, limitNanos));
        if (batch == null) {
            return null;
        }
        if (batch.isEmpty()) {
            if (clock.hasPassed(limitNanos)) {
                throw failure();
            }
            return batch;
        }
        if (kind != Kind.COMPLETION) {
            limitNanos = NEVER;
        }
        context.meter().in(batch.size());
        context.meter().out(batch.size());
        return batch;
    }

    private StreamTimeoutException failure() {
        return new StreamTimeoutException(kind, context.pipelineName(), context.stageName(), timeout);
    }

    @Override
    public void close() {
        upstream.close();
    }
}
