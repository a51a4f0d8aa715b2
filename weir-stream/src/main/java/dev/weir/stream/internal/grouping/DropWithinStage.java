package dev.weir.stream.internal.grouping;

import dev.weir.stream.internal.operator.InPlaceStage;
import dev.weir.stream.internal.operator.Wiring;
import dev.weir.stream.internal.run.Node;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;

/**
 * Drops and acknowledges what comes before a time has passed since the start of the run. Confined to the thread of its
 * segment.
 */
final class DropWithinStage<T> extends InPlaceStage<T, T> {

    private final Clock clock;
    private final long endNanos;

    private DropWithinStage(Wiring<T> wiring, long nanos) {
        super(wiring);
        this.clock = wiring.clock();
        this.endNanos = clock.after(nanos);
    }

    static <T> Node<T> node(Node<T> above, long nanos) {
        return Wiring.withoutFunction("dropWithin", above, wiring -> new DropWithinStage<>(wiring, nanos));
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
