package dev.weir.stream.internal.junction;

import dev.weir.stream.Pair;
import dev.weir.stream.internal.run.ArgumentChecks;
import dev.weir.stream.internal.run.BlueprintBranch;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.OpenInput;
import dev.weir.stream.internal.run.RunAssembly;
import java.util.Comparator;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;

/** Factory methods for the operators of this package, called by the public API. Stateless. */
public final class JunctionStages {

    private JunctionStages() {}

    public static <T> BlueprintNode<T> merge(List<BlueprintNode<T>> inputs) {
        return MergeStage.node("merge", inputs, InputSelection::roundRobin);
    }

    public static <T> BlueprintNode<T> mergePreferred(List<BlueprintNode<T>> inputs) {
        return MergeStage.node("mergePreferred", inputs, InputSelection::inOrder);
    }

    /**
     * Merges inputs in proportion to their weights.
     *
     * @param weights one for each input, at least 1
     */
    public static <T> BlueprintNode<T> mergePrioritized(List<BlueprintNode<T>> inputs, int[] weights) {
        if (weights.length != inputs.size()) {
            throw new IllegalArgumentException("mergePrioritized needs a weight for each of its " + inputs.size()
                    + " inputs, this one first: weights=" + weights.length);
        }
        for (int weight : weights) {
            ArgumentChecks.atLeastOne("weights", weight);
        }
        return MergeStage.node("mergePrioritized", inputs, ignored -> InputSelection.weighted(weights));
    }

    public static <T> BlueprintNode<T> mergeSorted(
            BlueprintNode<T> left, BlueprintNode<T> right, Comparator<? super T> order) {
        return MergeSortedStage.node(left, right, order);
    }

    @SuppressWarnings("unchecked") // the list contains only elements of the inputs, which are of type T
    public static <T> BlueprintNode<List<T>> mergeLatest(List<BlueprintNode<T>> inputs) {
        return LatestStage.node("mergeLatest", inputs, values -> (List<T>) values, false);
    }

    @SuppressWarnings("unchecked") // the first value is an A, and the second is a B
    public static <A, B, R> BlueprintNode<R> zipLatest(
            String name,
            BlueprintNode<A> left,
            BlueprintNode<B> right,
            BiFunction<? super A, ? super B, ? extends R> combine) {
        Function<List<Object>, R> ofList = values -> combine.apply((A) values.get(0), (B) values.get(1));
        return LatestStage.node(name, List.of(left, right), ofList, true);
    }

    public static <T> BlueprintNode<T> concat(List<BlueprintNode<T>> inputs) {
        return ConcatStage.node("concat", inputs, false);
    }

    public static <T> BlueprintNode<T> orElse(BlueprintNode<T> first, BlueprintNode<T> otherwise) {
        return ConcatStage.node("orElse", List.of(first, otherwise), true);
    }

    public static <T> BlueprintNode<T> interleave(BlueprintNode<T> left, BlueprintNode<T> right, int segmentSize) {
        return InterleaveStage.node(left, right, segmentSize);
    }

    public static <A, B, R> BlueprintNode<R> zip(
            String name,
            BlueprintNode<A> left,
            BlueprintNode<B> right,
            BiFunction<? super A, ? super B, ? extends R> combine) {
        return ZipStage.node(name, left, right, combine);
    }

    /** Zips inputs. After one input has ended, a stand-in from {@code standIns} replaces its elements. */
    public static <A, B> BlueprintNode<Pair<A, B>> zipAll(
            BlueprintNode<A> left, BlueprintNode<B> right, Pair<A, B> standIns) {
        return ZipAllStage.node(left, right, standIns);
    }

    public static <T> BlueprintNode<T> alsoTo(BlueprintNode<T> above, SideSink<T> sink) {
        return AlsoToStage.node(above, sink);
    }

    public static <T> BlueprintNode<T> wireTap(BlueprintNode<T> above, SideSink<T> sink) {
        return WireTapStage.node(above, sink);
    }

    public static <T> BlueprintNode<T> divertTo(BlueprintNode<T> above, SideSink<T> sink, Predicate<? super T> divert) {
        return DivertToStage.node(above, sink, divert);
    }

    private static <T> FanOut<T> broadcasting(String name, BlueprintNode<T> above) {
        return new FanOut<>(name, above, false, supervised -> OutputSelection.toAll());
    }

    private static <T> FanOut<T> balancing(BlueprintNode<T> above) {
        return new FanOut<>("balance", above, true, supervised -> OutputSelection.balanced());
    }

    private static <T> FanOut<T> partitioning(BlueprintNode<T> above, ToIntFunction<? super T> route) {
        return new FanOut<>("partition", above, false, supervised -> new RoutedDistribution<>(route, supervised.get()));
    }

    private static <S> List<S> checked(String operator, List<S> outputs) {
        if (outputs.isEmpty()) {
            throw new IllegalArgumentException(operator + " needs at least 1 output: outputs=0");
        }
        return List.copyOf(outputs);
    }

    public static <T, R> BlueprintNode<R> broadcast(BlueprintNode<T> above, List<BlueprintBranch<T, R>> branches) {
        return broadcasting("broadcast", above).merged(checked("broadcast", branches));
    }

    public static <T> Consumer<RunAssembly> broadcastTo(BlueprintNode<T> above, List<SideSink<T>> sinks) {
        return broadcasting("broadcast", above).into(checked("broadcastTo", sinks));
    }

    public static <T, R> BlueprintNode<R> balance(BlueprintNode<T> above, List<BlueprintBranch<T, R>> branches) {
        return balancing(above).merged(checked("balance", branches));
    }

    public static <T> Consumer<RunAssembly> balanceTo(BlueprintNode<T> above, List<SideSink<T>> sinks) {
        return balancing(above).into(checked("balanceTo", sinks));
    }

    public static <T, R> BlueprintNode<R> partition(
            BlueprintNode<T> above, ToIntFunction<? super T> route, List<BlueprintBranch<T, R>> branches) {
        return partitioning(above, route).merged(checked("partition", branches));
    }

    public static <T> Consumer<RunAssembly> partitionTo(
            BlueprintNode<T> above, ToIntFunction<? super T> route, List<SideSink<T>> sinks) {
        return partitioning(above, route).into(checked("partitionTo", sinks));
    }

    /** Sends all elements to {@code left} and {@code right}, the inputs of the stages of {@code joined}. */
    public static <T, R> BlueprintNode<R> unzip(
            BlueprintNode<T> above, OpenInput<T> left, OpenInput<T> right, BlueprintNode<R> joined) {
        return broadcasting("unzip", above).joined(List.of(left, right), joined);
    }
}
