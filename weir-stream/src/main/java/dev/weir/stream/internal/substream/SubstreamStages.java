package dev.weir.stream.internal.substream;

import dev.weir.stream.internal.run.BlueprintBranch;
import dev.weir.stream.internal.run.BlueprintNode;
import java.time.Duration;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;

/** Factory methods for the operators of this package, called by the public API. Stateless. */
public final class SubstreamStages {

    private SubstreamStages() {}

    public static <T, R> BlueprintNode<R> flatMapConcat(
            BlueprintNode<T> above, Function<? super T, BlueprintNode<R>> function) {
        return FlatMapConcatStage.node(above, function);
    }

    public static <T, R> BlueprintNode<R> flatMapMerge(
            BlueprintNode<T> above, int breadth, Function<? super T, BlueprintNode<R>> function) {
        return FlatMapMerge.node(above, breadth, function);
    }

    public static <T, R> BlueprintNode<R> switchMap(
            BlueprintNode<T> above, Function<? super T, BlueprintNode<R>> function) {
        return SwitchMap.node(above, function);
    }

    /**
     * Groups by key.
     *
     * @param idleAfter zero to keep groups until the end
     */
    public static <T, R> BlueprintNode<R> groupBy(
            BlueprintNode<T> above,
            Function<? super T, ?> key,
            int maxSubstreams,
            Duration idleAfter,
            BlueprintBranch<T, R> branch) {
        return GroupByStage.node(above, GroupBySettings.of(key, maxSubstreams, idleAfter), branch);
    }

    public static <T, R> BlueprintNode<R> splitWhen(
            BlueprintNode<T> above, Predicate<? super T> predicate, BlueprintBranch<T, R> branch) {
        return SplitStage.node("splitWhen", above, predicate, false, branch);
    }

    public static <T, R> BlueprintNode<R> splitAfter(
            BlueprintNode<T> above, Predicate<? super T> predicate, BlueprintBranch<T, R> branch) {
        return SplitStage.node("splitAfter", above, predicate, true, branch);
    }

    public static <T, R> BlueprintNode<R> prefixAndTail(
            BlueprintNode<T> above,
            int n,
            BiFunction<? super List<T>, ? super BlueprintNode<T>, BlueprintNode<R>> function) {
        return PrefixAndTailStage.node(above, n, function);
    }
}
