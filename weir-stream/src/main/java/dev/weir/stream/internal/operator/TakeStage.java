package dev.weir.stream.internal.operator;

import dev.weir.stream.internal.run.Node;
import dev.weir.stream.spi.Batch;

/** Lets a number of elements through and ends. Confined to the thread of its segment. */
final class TakeStage<T> extends InPlaceStage<T, T> {

    private long left;

    private TakeStage(Wiring<T> wiring, long count) {
        super(wiring);
        this.left = count;
        if (count == 0) {
            end();
        }
    }

    static <T> Node<T> node(Node<T> above, long count) {
        if (count < 0) {
            throw new IllegalArgumentException("count must be at least 0: count=" + count);
        }
        return Wiring.withoutFunction("take", above, wiring -> new TakeStage<>(wiring, count));
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
