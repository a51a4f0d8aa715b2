package dev.weir.stream.internal.operator;

import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.spi.Batch;

/** Drops a number of elements, and passes the following ones on. Confined to the stage's thread. */
final class DropStage<T> extends InPlaceStage<T, T> {

    private long left;

    private DropStage(StageWiring<T> wiring, long count) {
        super(wiring);
        this.left = count;
    }

    static <T> BlueprintNode<T> node(BlueprintNode<T> above, long count) {
        if (count < 0) {
            throw new IllegalArgumentException("count must be at least 0: count=" + count);
        }
        return StageWiring.withoutFunction("drop", above, wiring -> new DropStage<>(wiring, count));
    }

    @Override
    protected int rework(Batch<T> batch) {
        int size = batch.size();
        if (left == 0) {
            return size;
        }
        int dropped = (int) Math.min(left, size);
        left -= dropped;
        try {
            batch.ackRange(0, dropped);
        } catch (RuntimeException | Error thrown) {
            fail(thrown, batch, dropped);
            return 0;
        }
        for (int i = dropped; i < size; i++) {
            batch.move(i, i - dropped);
        }
        return size - dropped;
    }
}
