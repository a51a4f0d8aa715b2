package dev.weir.stream.internal.operator;

import dev.weir.stream.LimitExceededException;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.spi.Batch;

/** Passes on up to a fixed number of elements, and fails if more elements arrive. Confined to the stage's thread. */
final class LimitStage<T> extends InPlaceStage<T, T> {

    private final long limit;
    private final String name;

    private long seen;

    private LimitStage(StageWiring<T> wiring, long limit) {
        super(wiring);
        this.limit = limit;
        this.name = wiring.context().stageName();
    }

    static <T> BlueprintNode<T> node(BlueprintNode<T> above, long limit) {
        if (limit < 0) {
            throw new IllegalArgumentException("limit must be at least 0: limit=" + limit);
        }
        return StageWiring.withoutFunction("limit", above, wiring -> new LimitStage<>(wiring, limit));
    }

    @Override
    protected int rework(Batch<T> batch) {
        int kept = (int) Math.min(limit - seen, batch.size());
        seen += kept;
        if (kept < batch.size()) {
            fail(new LimitExceededException(name, limit, "elements"), batch, kept);
        }
        return kept;
    }
}
