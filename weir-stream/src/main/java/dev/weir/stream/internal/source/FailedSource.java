package dev.weir.stream.internal.source;

import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.FailureTransfer;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import org.jspecify.annotations.Nullable;

/** Fails at the first pull. Confined to the stage's thread. */
record FailedSource<T>(Throwable failure) implements Stage<T> {

    static <T> BlueprintNode<T> node(Throwable failure) {
        return new BlueprintNode<>("failed", (assembly, attributes) -> {
            var ignored = assembly.fused(attributes);
            return new FailedSource<>(failure);
        });
    }

    @Override
    public @Nullable Batch<T> pull(long deadlineNanos) {
        throw FailureTransfer.rethrow(failure);
    }

    @Override
    public void close() {}
}
