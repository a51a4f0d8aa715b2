package dev.weir.stream.internal.operator;

import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.spi.Batch;

/** Passes on a fixed number of elements and then ends. Confined to the stage's thread. */
final class TakeStage<T> extends InPlaceStage<T, T> {

    private long left;

    private TakeStage(StageWiring<T> wiring, long count) {
        super(wiring);
        this.left = count;
        if (count == 0) {
            end();
        }
    }

    static <T> BlueprintNode<T> node(BlueprintNode<T> above, long count) {
        if (count < 0) {
            throw new IllegalArgumentException("count must be at least 0: count=" + count);
        }
        return StageWiring.withoutFunction("take", above, wiring -> new TakeStage<>(wiring, count));
    }

    @Override
    protected int rework(Batch<T> batch) {
        int kept = (int) Math.min(left, batch.size());
        left -= kept;
        if (left == 0) {
            end(batch, kept);
        }
        return kept;
    }
}
