package dev.weir.stream.internal.source;

import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.NestedStreams;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import org.jspecify.annotations.Nullable;

/**
 * Emits the elements of a source that is created while the pipeline is running, for example by a future. The upstream
 * stage emits one element: the source's blueprint. Confined to the stage's thread.
 */
final class DeferredSource<T> implements Stage<T> {

    private final Stage<BlueprintNode<T>> upstream;
    private final NestedStreams nested;

    private NestedStreams.@Nullable Child<T> child;

    private DeferredSource(Stage<BlueprintNode<T>> upstream, NestedStreams nested) {
        this.upstream = upstream;
        this.nested = nested;
    }

    static <T> BlueprintNode<T> node(String name, BlueprintNode<BlueprintNode<T>> above) {
        return new BlueprintNode<>(name, (assembly, attributes) -> {
            Stage<BlueprintNode<T>> upstream = above.build(assembly);
            DeferredSource<T> source = new DeferredSource<>(upstream, assembly.nested());
            var ignored = assembly.fused(attributes);
            return source;
        });
    }

    @Override
    public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
        NestedStreams.Child<T> running = child;
        if (running == null) {
            Batch<BlueprintNode<T>> known = upstream.pull(deadlineNanos);
            if (known == null) {
                return null;
            }
            if (known.isEmpty()) {
                return new Batch<>(0);
            }
            running = nested.start(known.get(0));
            child = running;
        }
        return running.pull(deadlineNanos);
    }

    @Override
    public void close() {
        try {
            if (child != null) {
                child.close();
            }
        } finally {
            upstream.close();
        }
    }
}
