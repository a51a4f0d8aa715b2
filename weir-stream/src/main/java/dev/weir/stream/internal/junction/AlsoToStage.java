package dev.weir.stream.internal.junction;

import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import org.jspecify.annotations.Nullable;

/**
 * Sends each element downstream and to a side sink. The element is acknowledged when both sides have acknowledged it.
 * Confined to the stage's thread.
 */
final class AlsoToStage<T> extends SideStage<T> {

    private AlsoToStage(Parts<T> parts) {
        super(parts);
    }

    static <T> BlueprintNode<T> node(BlueprintNode<T> above, SideSink<T> sink) {
        return new BlueprintNode<>("alsoTo", (assembly, attributes) -> {
            Stage<T> upstream = above.build(assembly);
            return new AlsoToStage<>(build(assembly, attributes, upstream, sink));
        });
    }

    @Override
    @Nullable
    Batch<T> share(Batch<T> batch) throws InterruptedException {
        batch.retainAll(1);
        return give(batch.copy(), batch) ? batch : null;
    }
}
