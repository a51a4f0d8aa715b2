package dev.weir.stream.internal.operator;

import dev.weir.stream.LimitExceededException;
import dev.weir.stream.internal.failure.FailureVerdict;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.spi.Batch;
import java.util.function.ToLongFunction;

/**
 * Passes elements on up to a total weight, and fails at the element that exceeds it. Confined to the stage's thread.
 */
final class LimitWeightedStage<T> extends InPlaceStage<T, T> {

    private final long maxWeight;
    private final ToLongFunction<? super T> weight;
    private final String name;

    private long left;

    private LimitWeightedStage(StageWiring<T> wiring, long maxWeight, ToLongFunction<? super T> weight) {
        super(wiring);
        this.maxWeight = maxWeight;
        this.weight = weight;
        this.name = wiring.context().stageName();
        this.left = maxWeight;
    }

    static <T> BlueprintNode<T> node(BlueprintNode<T> above, long maxWeight, ToLongFunction<? super T> weight) {
        if (maxWeight < 0) {
            throw new IllegalArgumentException("maxWeight must be at least 0: maxWeight=" + maxWeight);
        }
        return StageWiring.node("limitWeighted", above, wiring -> new LimitWeightedStage<>(wiring, maxWeight, weight));
    }

    @Override
    protected int rework(Batch<T> batch) throws InterruptedException {
        int size = batch.size();
        int kept = 0;
        for (int i = 0; i < size; i++) {
            long own;
            try {
                own = weightOf(batch.get(i));
            } catch (Throwable thrown) {
                Object outcome = after(thrown, this::weightOf, batch, kept, i);
                if (outcome instanceof FailureVerdict verdict) {
                    if (verdict.fails()) {
                        break;
                    }
                    continue;
                }
                own = (long) outcome;
            }
            if (own > left) {
                fail(new LimitExceededException(name, maxWeight, "in weight"), batch, i);
                break;
            }
            left -= own;
            batch.move(i, kept++);
        }
        return kept;
    }

    private long weightOf(T element) {
        long own = weight.applyAsLong(element);
        if (own < 0) {
            throw new IllegalArgumentException("a weight must not be negative: " + own);
        }
        return own;
    }

    @Override
    void restart() {
        left = maxWeight;
    }
}
