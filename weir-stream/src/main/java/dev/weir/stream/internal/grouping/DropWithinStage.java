package dev.weir.stream.internal.grouping;

import dev.weir.stream.internal.operator.InPlaceStage;
import dev.weir.stream.internal.operator.StageWiring;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;

/**
 * Drops and acknowledges elements until a time has passed since the start of the run. Confined to the stage's thread.
 */
final class DropWithinStage<T> extends InPlaceStage<T, T> {

    private final Clock clock;
    private final long endNanos;

    private DropWithinStage(StageWiring<T> wiring, long nanos) {
        super(wiring);
        this.clock = wiring.clock();
        this.endNanos = clock.after(nanos);
    }

    static <T> BlueprintNode<T> node(BlueprintNode<T> above, long nanos) {
        return StageWiring.withoutFunction("dropWithin", above, wiring -> new DropWithinStage<>(wiring, nanos));
    }

    @Override
    protected int rework(Batch<T> batch) {
        if (clock.hasPassed(endNanos)) {
            return batch.size();
        }
        batch.ackAll();
        return 0;
    }
}
