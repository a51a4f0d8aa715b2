package dev.weir.stream.internal.substream;

import dev.weir.stream.internal.failure.SupervisedCall;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.spi.Batch;
import java.util.function.Function;

/**
 * Replaces each element with the elements of a stream. Several streams run at once. Confined to the thread that pulls
 * the parent elements.
 */
final class FlatMapMerge<T, R> extends SubstreamMerge<T, R> {

    private final int breadth;
    private final Function<? super T, BlueprintNode<R>> function;
    private final SupervisedCall supervised;

    private FlatMapMerge(
            Parts<R> parts, SupervisedCall supervised, int breadth, Function<? super T, BlueprintNode<R>> function) {
        super(parts);
        this.breadth = breadth;
        this.function = function;
        this.supervised = supervised;
    }

    static <T, R> BlueprintNode<R> node(
            BlueprintNode<T> above, int breadth, Function<? super T, BlueprintNode<R>> function) {
        if (breadth < 1) {
            throw new IllegalArgumentException("breadth must be at least 1: breadth=" + breadth);
        }
        return SubstreamMerge.node(
                "flatMapMerge", above, (parts, supervised) -> new FlatMapMerge<>(parts, supervised, breadth, function));
    }

    @Override
    void take(Batch<T> parents) throws InterruptedException {
        int next = 0;
        try {
            for (; next < parents.size(); next++) {
                inside.set(parents.size() - next);
                tributaries.awaitAtMost(breadth - 1);
                var ignored = start(SubstreamHelpers.of(parents, next, function, supervised), parents, next);
            }
            inside.set(0);
        } catch (InterruptedException | RuntimeException | Error thrown) {
            parents.abandonFrom(next);
            throw thrown;
        }
    }
}
