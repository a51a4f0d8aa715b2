package dev.weir.stream;

import dev.weir.stream.internal.junction.JunctionStages;
import dev.weir.stream.internal.run.ArgumentChecks;
import dev.weir.stream.internal.run.BlueprintNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Operators with several inputs. Part of {@link Source}.
 *
 * <p>Operators that read their inputs concurrently (merge, zipLatest) run each input on its own thread, with a buffer
 * of {@value dev.weir.stream.ParallelOperators#DEFAULT_BUFFER} elements or the size set by {@link Source#with}.
 * Operators that read their inputs in turn (concat, zip) pull them on the downstream stage's thread. A failure of any
 * input fails the stream, after the elements that preceded the failure have been emitted. A cancellation from
 * downstream reaches all inputs, and a stop ends all sources.
 */
abstract class FanInOperators<T> extends ParallelOperators<T> {

    /** Returns the node of a source. The cast is safe, because a source only produces elements. */
    @SuppressWarnings("unchecked")
    private static <T> BlueprintNode<T> nodeOf(String name, Source<? extends T> source) {
        return ((Source<T>) Objects.requireNonNull(source, name)).node();
    }

    /** Returns the last node of {@code source}, which a user's function has built. Throws if {@code source} is null. */
    static <T> BlueprintNode<T> made(String operator, @Nullable Source<T> source) {
        if (source == null) {
            throw new NullPointerException("the function of " + operator + " returned null, not a source");
        }
        return source.node();
    }

    private static <T> List<BlueprintNode<T>> nodesOf(
            BlueprintNode<T> first, List<? extends Source<? extends T>> others) {
        List<BlueprintNode<T>> nodes = new ArrayList<>();
        nodes.add(first);
        others.forEach(other -> nodes.add(nodeOf("others", other)));
        return List.copyOf(nodes);
    }

    /**
     * Emits the elements of all inputs as they arrive, in order within each input. Ends when all inputs have ended. If
     * several inputs have elements available, they take turns, batch by batch. Each element keeps its acknowledgement.
     *
     * {@snippet :
     * orders.merge(returns, complaints).map(event -> handle(event))
     * }
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // the array is only read
    @Operator(acks = "kept with each element", cost = "a thread and a buffer per input")
    public final Source<T> merge(Source<? extends T>... others) {
        return Source.at(JunctionStages.merge(nodesOf(node(), ArgumentChecks.list("others", others))));
    }

    /**
     * Merges two sources; if both have a batch available, the batch of {@code preferred} is emitted first. In all other
     * respects, this method works like {@link #merge}.
     *
     * {@snippet :
     * jobs.mergePreferred(commands)
     * }
     */
    @Operator(acks = "kept with each element", cost = "a thread and a buffer per input")
    public Source<T> mergePreferred(Source<? extends T> preferred) {
        return Source.at(JunctionStages.mergePreferred(List.of(nodeOf("preferred", preferred), node())));
    }

    /**
     * Merges sources in proportion to their weights while several of them have elements available. The proportion
     * applies to elements, not batches. In all other respects, this method works like {@link #merge}.
     *
     * {@snippet :
     * gold.mergePrioritized(List.of(silver, bronze), 6, 3, 1)
     * }
     *
     * @param weights at least 1 each; first this source's weight, then the weights of the others
     */
    @Operator(acks = "kept with each element", cost = "a thread and a buffer per input")
    public Source<T> mergePrioritized(List<? extends Source<? extends T>> others, int... weights) {
        return Source.at(JunctionStages.mergePrioritized(
                nodesOf(node(), ArgumentChecks.list("others", others)),
                Objects.requireNonNull(weights, "weights").clone()));
    }

    /**
     * Merges two sorted sources into one sorted source. Waits until both sources have a next element, and emits the
     * smaller one. If the two elements compare as equal, this source's element is emitted first. Ends when both sources
     * have ended. Each element keeps its acknowledgement. If the comparator throws, the stream fails.
     *
     * {@snippet :
     * today.mergeSorted(yesterday, Comparator.comparing(Event::time))
     * }
     */
    @Operator(acks = "kept with each element", cost = "a comparison per element; no extra thread")
    public Source<T> mergeSorted(Source<? extends T> other, Comparator<? super T> order) {
        return Source.at(
                JunctionStages.mergeSorted(node(), nodeOf("other", other), Objects.requireNonNull(order, "order")));
    }

    /**
     * Emits a list with the latest element of each input whenever an input has a new element. The first list is emitted
     * once every input has had an element. The stream ends when all inputs have ended.
     *
     * <p>An element remains the latest of its input until a newer element arrives or all inputs have ended. From then
     * on, it is acknowledged as soon as every list that contains it is finished. An element that was never part of a
     * list is not acknowledged.
     *
     * {@snippet :
     * temperature.mergeLatest(pressure, humidity)
     * }
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // the array is only read
    @Operator(
            acks = "once it has been replaced and all its lists are finished",
            cost = "a thread and a buffer per input; a list and an acknowledgement per element")
    public final Source<List<T>> mergeLatest(Source<? extends T>... others) {
        return Source.at(JunctionStages.mergeLatest(nodesOf(node(), ArgumentChecks.list("others", others))));
    }

    /**
     * Emits the elements of this source, then the elements of each other source in turn. A source is pulled only after
     * the preceding sources have ended. However, if a source contains an asynchronous boundary, the stages before that
     * boundary start running immediately. Each element keeps its acknowledgement.
     *
     * {@snippet :
     * history.concat(live)
     * }
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // the array is only read
    @Operator(acks = "kept with each element", cost = "no allocation")
    public final Source<T> concat(Source<? extends T>... others) {
        return Source.at(JunctionStages.concat(nodesOf(node(), ArgumentChecks.list("others", others))));
    }

    /**
     * Emits the elements of {@code first}, then the elements of this source. See {@link #concat}.
     *
     * {@snippet :
     * lines.prepend(Source.of("header"))
     * }
     */
    @Operator(acks = "kept with each element", cost = "no allocation")
    public Source<T> prepend(Source<? extends T> first) {
        return Source.at(
                JunctionStages.concat(List.of(nodeOf("first", first), node())).with(Attributes.named("prepend")));
    }

    /**
     * Emits the elements of this source, or of {@code otherwise} if this source ends without an element. Each element
     * keeps its acknowledgement.
     *
     * {@snippet :
     * matches.orElse(Source.of(NO_MATCH))
     * }
     */
    @Operator(acks = "kept with each element", cost = "no allocation")
    public Source<T> orElse(Source<? extends T> otherwise) {
        return Source.at(JunctionStages.orElse(node(), nodeOf("otherwise", otherwise)));
    }

    /**
     * Alternates between {@code segmentSize} elements of this source and as many of {@code other}. Waits for the source
     * whose turn it is. Once one source has ended, emits the remaining elements of the other. Each element keeps its
     * acknowledgement.
     *
     * {@snippet :
     * Source.of(1, 2, 3, 4).interleave(Source.of(10, 20), 2) // 1, 2, 10, 20, 3, 4
     * }
     *
     * @param segmentSize at least 1
     */
    @Operator(acks = "kept with each element", cost = "a copied reference per element; no extra thread")
    public Source<T> interleave(Source<? extends T> other, int segmentSize) {
        return Source.at(JunctionStages.interleave(node(), nodeOf("other", other), segmentSize));
    }

    /**
     * Pairs the elements of two sources in order. See {@link #zipWith}.
     *
     * {@snippet :
     * names.zip(ages).map(pair -> pair.first() + " is " + pair.second())
     * }
     */
    @Operator(acks = "together with their pair", cost = "a pair, and a joint acknowledgement if both elements have one")
    public <B> Source<Pair<T, B>> zip(Source<B> other) {
        return Source.at(JunctionStages.zip("zip", node(), nodeOf("other", other), Pair<T, B>::new));
    }

    /**
     * Emits lists that contain one element of each input, in order. Ends when any input ends; the remaining elements of
     * the other inputs are treated like the surplus elements of {@link #take}.
     *
     * {@snippet :
     * Source.of(1, 2).zipN(Source.of(10, 20), Source.of(100, 200)) // [1, 10, 100], [2, 20, 200]
     * }
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // the array is only read
    @Operator(acks = "together with their list", cost = "a list, and a joint acknowledgement per additional input")
    public final Source<List<T>> zipN(Source<? extends T>... others) {
        List<Source<? extends T>> rest = ArgumentChecks.list("others", others);
        int inputs = 1 + rest.size();
        Source<List<T>> lists = map(first -> {
            List<T> list = new ArrayList<>(inputs);
            list.add(first);
            return list;
        });
        for (Source<? extends T> other : rest) {
            // Modifying the list is safe, because it has not been passed to any other thread yet.
            lists = lists.zipWith(other, (list, element) -> {
                list.add(element);
                return list;
            });
        }
        return lists.named("zipN");
    }

    /**
     * Pairs the elements of two sources until both have ended, with stand-ins for missing elements. Waits for both
     * sources while they are running. Once one source has ended, its stand-in value is used in place of further
     * elements. Acknowledging a pair acknowledges the actual elements in it.
     *
     * {@snippet :
     * Source.of("a", "b", "c").zipAll(Source.of(1), "-", 0) // (a, 1), (b, 0), (c, 0)
     * }
     *
     * @param standIn used once this source has ended
     * @param otherStandIn used once the other source has ended
     */
    @Operator(acks = "together with their pair", cost = "a pair, and a joint acknowledgement if both elements have one")
    public <B> Source<Pair<T, B>> zipAll(Source<B> other, T standIn, B otherStandIn) {
        return Source.at(JunctionStages.zipAll(
                node(),
                nodeOf("other", other),
                new Pair<>(
                        Objects.requireNonNull(standIn, "standIn"),
                        Objects.requireNonNull(otherStandIn, "otherStandIn"))));
    }

    /**
     * Combines the elements of two sources in pairs. Ends when either source ends; the remaining elements of the other
     * are treated like the surplus elements of {@link #take}. The two elements are acknowledged when the result is
     * acknowledged. If {@code combine} throws, the supervision decides what happens to the pair.
     *
     * {@snippet :
     * prices.zipWith(amounts, (price, amount) -> price * amount)
     * }
     */
    @Operator(
            acks = "together with their result",
            cost = "a function call, and a joint acknowledgement if both elements have one")
    public <B, R> Source<R> zipWith(Source<B> other, BiFunction<? super T, ? super B, ? extends R> combine) {
        return Source.at(JunctionStages.zip(
                "zipWith", node(), nodeOf("other", other), Objects.requireNonNull(combine, "combine")));
    }

    /**
     * Pairs the latest elements of two sources. See {@link #zipLatestWith}.
     *
     * {@snippet :
     * clicks.zipLatest(settings)
     * }
     */
    @Operator(
            acks = "once it has been replaced and all its pairs are finished",
            cost = "two threads; a pair and an acknowledgement per element")
    public <B> Source<Pair<T, B>> zipLatest(Source<B> other) {
        return Source.at(JunctionStages.zipLatest("zipLatest", node(), nodeOf("other", other), Pair<T, B>::new));
    }

    /**
     * Combines the latest elements of two sources whenever either has a new element. Starts when both sources have had
     * an element, and ends when either ends; elements of the other source that are still queued are not acknowledged.
     *
     * <p>An element remains the latest of its input until a newer element arrives or the stream has ended. From then
     * on, it is acknowledged as soon as every result that contains it is finished. An element that was never part of a
     * result is not acknowledged. If {@code combine} throws, the supervision decides what happens to the newest
     * element. If that element is skipped, it is still used as the latest of its input; {@code RESTART} forgets the
     * latest elements of both inputs.
     *
     * {@snippet :
     * orders.zipLatestWith(rates, (order, rate) -> order.in(rate))
     * }
     */
    @Operator(
            acks = "once it has been replaced and all its results are finished",
            cost = "two threads; a function call and an acknowledgement per element")
    public <B, R> Source<R> zipLatestWith(Source<B> other, BiFunction<? super T, ? super B, ? extends R> combine) {
        return Source.at(JunctionStages.zipLatest(
                "zipLatestWith", node(), nodeOf("other", other), Objects.requireNonNull(combine, "combine")));
    }
}
