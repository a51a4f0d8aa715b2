package dev.weir.stream.internal.junction;

import dev.weir.stream.Pair;
import dev.weir.stream.internal.run.Arguments;
import dev.weir.stream.internal.run.Assembly;
import dev.weir.stream.internal.run.Branch;
import dev.weir.stream.internal.run.Node;
import dev.weir.stream.internal.run.OpenInput;
import java.util.Comparator;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;

/** The door of this package: one method for each operator, behind the facade's methods. Stateless. */
public final class Junctions {

    private Junctions() {}

    public static <T> Node<T> merge(List<Node<T>> inputs) {
        return MergeStage.node("merge", inputs, Turns::roundRobin);
    }

    /** The first input is the preferred one. */
    public static <T> Node<T> mergePreferred(List<Node<T>> inputs) {
        return MergeStage.node("mergePreferred", inputs, Turns::inOrder);
    }

    /**
     * Merges in proportion.
     *
     * @param weights one for each input, at least 1
     */
    public static <T> Node<T> mergePrioritized(List<Node<T>> inputs, int[] weights) {
        if (weights.length != inputs.size()) {
            throw new IllegalArgumentException("mergePrioritized needs a weight for each of its " + inputs.size()
                    + " inputs, this one first: weights=" + weights.length);
        }
        for (int weight : weights) {
            Arguments.atLeastOne("weights", weight);
        }
        return MergeStage.node("mergePrioritized", inputs, ignored -> Turns.weighted(weights));
    }

    public static <T> Node<T> mergeSorted(Node<T> left, Node<T> right, Comparator<? super T> order) {
        return MergeSortedStage.node(left, right, order);
    }

    @SuppressWarnings("unchecked") // all inputs are of T
    public static <T> Node<List<T>> mergeLatest(List<Node<T>> inputs) {
        return LatestStage.node("mergeLatest", inputs, values -> (List<T>) values, false);
    }

    @SuppressWarnings("unchecked") // the first value is of A, the second of B
    public static <A, B, R> Node<R> zipLatest(
            String name, Node<A> left, Node<B> right, BiFunction<? super A, ? super B, ? extends R> combine) {
        Function<List<Object>, R> ofList = values -> combine.apply((A) values.get(0), (B) values.get(1));
        return LatestStage.node(name, List.of(left, right), ofList, true);
    }

    public static <T> Node<T> concat(List<Node<T>> inputs) {
        return ConcatStage.node("concat", inputs, false);
    }

    public static <T> Node<T> orElse(Node<T> first, Node<T> otherwise) {
        return ConcatStage.node("orElse", List.of(first, otherwise), true);
    }

    public static <T> Node<T> interleave(Node<T> left, Node<T> right, int segmentSize) {
        return InterleaveStage.node(left, right, segmentSize);
    }

    public static <A, B, R> Node<R> zip(
            String name, Node<A> left, Node<B> right, BiFunction<? super A, ? super B, ? extends R> combine) {
        return ZipStage.node(name, left, right, combine);
    }

    /** Stand-ins for the elements of the input that ends first. */
    public static <A, B> Node<Pair<A, B>> zipAll(Node<A> left, Node<B> right, Pair<A, B> standIns) {
        return ZipAllStage.node(left, right, standIns);
    }

    public static <T> Node<T> alsoTo(Node<T> above, SideSink<T> sink) {
        return AlsoToStage.node(above, sink);
    }

    public static <T> Node<T> wireTap(Node<T> above, SideSink<T> sink) {
        return WireTapStage.node(above, sink);
    }

    public static <T> Node<T> divertTo(Node<T> above, SideSink<T> sink, Predicate<? super T> divert) {
        return DivertToStage.node(above, sink, divert);
    }

    private static <T> FanOut<T> broadcasting(String name, Node<T> above) {
        return new FanOut<>(name, above, false, supervised -> Distribution.toAll());
    }

    private static <T> FanOut<T> balancing(Node<T> above) {
        return new FanOut<>("balance", above, true, supervised -> Distribution.balanced());
    }

    private static <T> FanOut<T> partitioning(Node<T> above, ToIntFunction<? super T> route) {
        return new FanOut<>("partition", above, false, supervised -> new RoutedDistribution<>(route, supervised.get()));
    }

    private static <S> List<S> checked(String operator, List<S> outputs) {
        if (outputs.isEmpty()) {
            throw new IllegalArgumentException(operator + " needs at least 1 output: outputs=0");
        }
        return List.copyOf(outputs);
    }

    public static <T, R> Node<R> broadcast(Node<T> above, List<Branch<T, R>> branches) {
        return broadcasting("broadcast", above).merged(checked("broadcast", branches));
    }

    public static <T> Consumer<Assembly> broadcastTo(Node<T> above, List<SideSink<T>> sinks) {
        return broadcasting("broadcast", above).into(checked("broadcastTo", sinks));
    }

    public static <T, R> Node<R> balance(Node<T> above, List<Branch<T, R>> branches) {
        return balancing(above).merged(checked("balance", branches));
    }

    public static <T> Consumer<Assembly> balanceTo(Node<T> above, List<SideSink<T>> sinks) {
        return balancing(above).into(checked("balanceTo", sinks));
    }

    public static <T, R> Node<R> partition(Node<T> above, ToIntFunction<? super T> route, List<Branch<T, R>> branches) {
        return partitioning(above, route).merged(checked("partition", branches));
    }

    public static <T> Consumer<Assembly> partitionTo(
            Node<T> above, ToIntFunction<? super T> route, List<SideSink<T>> sinks) {
        return partitioning(above, route).into(checked("partitionTo", sinks));
    }

    /** Both halves are given all elements, and {@code joined} is below both. */
    public static <T, R> Node<R> unzip(Node<T> above, OpenInput<T> left, OpenInput<T> right, Node<R> joined) {
        return broadcasting("unzip", above).joined(List.of(left, right), joined);
    }
}
