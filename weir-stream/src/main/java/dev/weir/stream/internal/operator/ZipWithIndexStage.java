package dev.weir.stream.internal.operator;

import dev.weir.stream.Indexed;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.spi.Batch;

/** Pairs each element with its index. Confined to the stage's thread. */
final class ZipWithIndexStage<T> extends InPlaceStage<T, Indexed<T>> {

    private long next;

    private ZipWithIndexStage(StageWiring<T> wiring) {
        super(wiring);
    }

    static <T> BlueprintNode<Indexed<T>> node(BlueprintNode<T> above) {
        return StageWiring.withoutFunction("zipWithIndex", above, ZipWithIndexStage::new);
    }

    @Override
    protected int rework(Batch<T> batch) {
        int size = batch.size();
        for (int i = 0; i < size; i++) {
            batch.set(i, new Indexed<>(next++, batch.get(i)));
        }
        return size;
    }
}
