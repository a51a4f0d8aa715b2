package dev.weir.stream.internal.junction;

import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;

/**
 * Copies each element to a side sink, unless the sink is too slow; the stream never waits for it. Confined to the
 * stage's thread.
 */
final class WireTapStage<T> extends SideStage<T> {

    private WireTapStage(Parts<T> parts) {
        super(parts);
    }

    static <T> BlueprintNode<T> node(BlueprintNode<T> above, SideSink<T> sink) {
        return new BlueprintNode<>("wireTap", (assembly, attributes) -> {
            Stage<T> upstream = above.build(assembly);
            return new WireTapStage<>(build(assembly, attributes, upstream, sink));
        });
    }

    @Override
    Batch<T> share(Batch<T> batch) {
        Batch<T> shown = new Batch<>(batch.size());
        for (int i = 0; i < batch.size(); i++) {
            shown.add(batch.get(i), AckTarget.NONE, 0);
        }
        boolean ignored = side.offer(shown);
        return batch;
    }
}
