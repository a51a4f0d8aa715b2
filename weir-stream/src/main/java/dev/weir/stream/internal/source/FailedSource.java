package dev.weir.stream.internal.source;

import dev.weir.stream.internal.run.Failures;
import dev.weir.stream.internal.run.Node;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import org.jspecify.annotations.Nullable;

/** Fails as soon as it is asked. Confined to the thread of its segment. */
record FailedSource<T>(Throwable failure) implements Stage<T> {

    static <T> Node<T> node(Throwable failure) {
        return new Node<>("failed", (assembly, attributes) -> {
            var ignored = assembly.fused(attributes);
            return new FailedSource<>(failure);
        });
    }

    @Override
    public @Nullable Batch<T> pull(long deadlineNanos) {
        throw Failures.rethrow(failure);
    }

    @Override
    public void close() {}
}
