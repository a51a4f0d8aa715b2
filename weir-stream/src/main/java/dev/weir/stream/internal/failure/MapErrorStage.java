package dev.weir.stream.internal.failure;

import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.FailureTransfer;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Replaces the exception of an upstream failure. Confined to the stage's thread. */
final class MapErrorStage<T> implements Stage<T> {

    private final Stage<T> upstream;
    private final Function<? super Throwable, ? extends Throwable> function;
    private final StageMeter meter;

    private MapErrorStage(
            Stage<T> upstream, Function<? super Throwable, ? extends Throwable> function, StageMeter meter) {
        this.upstream = upstream;
        this.function = function;
        this.meter = meter;
    }

    static <T> BlueprintNode<T> node(
            BlueprintNode<T> above, Function<? super Throwable, ? extends Throwable> function) {
        return new BlueprintNode<>("mapError", (assembly, attributes) -> {
            Stage<T> upstream = above.build(assembly);
            return new MapErrorStage<>(
                    upstream, function, assembly.fused(attributes).meter());
        });
    }

    @Override
    public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
        Batch<T> batch;
        try {
            batch = upstream.pull(deadlineNanos);
        } catch (Throwable failure) {
            if (!FailureHelpers.isRecoverable(failure)) {
                throw FailureTransfer.rethrowFromAbove(failure);
            }
            throw FailureTransfer.rethrow(replacementOf(failure));
        }
        if (batch != null) {
            meter.in(batch.size());
            meter.out(batch.size());
        }
        return batch;
    }

    private Throwable replacementOf(Throwable failure) {
        try {
            return Objects.requireNonNull(function.apply(failure), "the function of mapError returned null");
        } catch (RuntimeException | Error inFunction) {
            if (inFunction != failure) {
                inFunction.addSuppressed(failure);
            }
            return inFunction;
        }
    }

    @Override
    public void close() {
        upstream.close();
    }
}
