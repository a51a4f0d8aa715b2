package dev.weir.stream.internal.substream;

import dev.weir.stream.internal.run.Branch;
import dev.weir.stream.internal.run.Node;
import java.time.Duration;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;

/** The door of this package: one method for each operator, behind the facade's methods. Stateless. */
public final class Substreams {

    private Substreams() {}

    public static <T, R> Node<R> flatMapConcat(Node<T> above, Function<? super T, Node<R>> function) {
        return FlatMapConcatStage.node(above, function);
    }

    public static <T, R> Node<R> flatMapMerge(Node<T> above, int breadth, Function<? super T, Node<R>> function) {
        return FlatMapMerge.node(above, breadth, function);
    }

    public static <T, R> Node<R> switchMap(Node<T> above, Function<? super T, Node<R>> function) {
        return SwitchMap.node(above, function);
    }

    /**
     * Groups by key.
     *
     * @param idleAfter zero if groups stay
     */
    public static <T, R> Node<R> groupBy(
            Node<T> above, Function<? super T, ?> key, int maxSubstreams, Duration idleAfter, Branch<T, R> branch) {
        return GroupByStage.node(above, GroupBySettings.of(key, maxSubstreams, idleAfter), branch);
    }

    public static <T, R> Node<R> splitWhen(Node<T> above, Predicate<? super T> predicate, Branch<T, R> branch) {
        return SplitStage.node("splitWhen", above, predicate, false, branch);
    }

    public static <T, R> Node<R> splitAfter(Node<T> above, Predicate<? super T> predicate, Branch<T, R> branch) {
        return SplitStage.node("splitAfter", above, predicate, true, branch);
    }

    public static <T, R> Node<R> prefixAndTail(
            Node<T> above, int n, BiFunction<? super List<T>, ? super Node<T>, Node<R>> function) {
        return PrefixAndTailStage.node(above, n, function);
    }
}
