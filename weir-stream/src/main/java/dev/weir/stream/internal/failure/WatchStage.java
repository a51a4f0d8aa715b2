package dev.weir.stream.internal.failure;

import dev.weir.stream.Action;
import dev.weir.stream.StreamEnd;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.FailureTransfer;
import dev.weir.stream.internal.run.TaskGroup;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import org.jspecify.annotations.Nullable;

/** Calls an action once with the {@link StreamEnd} of the upstream stages. Confined to the stage's thread. */
final class WatchStage<T> implements Stage<T> {

    private final Stage<T> upstream;
    private final Action<? super StreamEnd> onEnd;
    private final StageMeter meter;

    private boolean told;

    private WatchStage(Stage<T> upstream, Action<? super StreamEnd> onEnd, StageMeter meter) {
        this.upstream = upstream;
        this.onEnd = onEnd;
        this.meter = meter;
    }

    static <T> BlueprintNode<T> node(BlueprintNode<T> above, Action<? super StreamEnd> onEnd) {
        return new BlueprintNode<>("watch", (assembly, attributes) -> {
            Stage<T> upstream = above.build(assembly);
            StageMeter meter = assembly.fused(attributes).meter();
            return new WatchStage<>(upstream, assembly.isProbe() ? end -> {} : onEnd, meter);
        });
    }

    @Override
    public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
        Batch<T> batch;
        try {
            batch = upstream.pull(deadlineNanos);
        } catch (Throwable failure) {
            boolean cancelled = failure instanceof InterruptedException || TaskGroup.isCurrentInterrupted();
            try {
                tell(cancelled ? new StreamEnd.Cancelled() : new StreamEnd.Failed(failure));
            } catch (RuntimeException | Error inCallback) {
                if (inCallback != failure) {
                    failure.addSuppressed(inCallback);
                }
            }
            throw FailureTransfer.rethrowFromAbove(failure);
        }
        if (batch == null) {
            tell(new StreamEnd.Completed());
            return null;
        }
        meter.in(batch.size());
        meter.out(batch.size());
        return batch;
    }

    private void tell(StreamEnd end) {
        if (!told) {
            told = true;
            FailureTransfer.call(onEnd, end);
        }
    }

    @Override
    public void close() {
        try {
            upstream.close();
        } finally {
            tell(new StreamEnd.Cancelled());
        }
    }
}
