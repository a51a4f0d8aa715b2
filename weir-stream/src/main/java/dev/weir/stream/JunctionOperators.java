package dev.weir.stream;

import dev.weir.stream.internal.junction.Branch;
import dev.weir.stream.internal.junction.Junctions;
import dev.weir.stream.internal.junction.SideSink;
import dev.weir.stream.internal.run.Hole;
import dev.weir.stream.internal.run.Node;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;

/**
 * Operators with several inputs or outputs. Part of {@link Source}.
 *
 * <p>Inputs that come at their own pace (merge, the latest of several) each run on a thread of their own and wait in a
 * buffer of {@value dev.weir.stream.ParallelOperators#DEFAULT_BUFFER} elements, or as {@link Source#with} says; so do all
 * outputs. Inputs that are needed in turn (concat, zip) are pulled by the thread of the stage below. A failure of any
 * input or output fails the stream, after the elements that came before it on its way; a cancellation from below reaches
 * all inputs; a stop ends all sources.
 */
abstract class JunctionOperators<T> extends ParallelOperators<T> {

    /** A source is only read, so that one of a subtype will do. */
    @SuppressWarnings("unchecked")
    private static <T> Node<T> nodeOf(Source<? extends T> source) {
        return ((Source<T>) source).node();
    }

    private static <T> List<Node<T>> nodesOf(Node<T> first, List<? extends Source<? extends T>> others) {
        List<Node<T>> nodes = new ArrayList<>();
        nodes.add(first);
        others.forEach(other -> nodes.add(nodeOf(other)));
        return List.copyOf(nodes);
    }

    /**
     * Emits the elements of all inputs as they come; each input keeps its own order. Ends when all have ended. When
     * several have elements, they take turns, batch by batch.
     * Acknowledgements go with their elements.
     *
     * {@snippet :
     * orders.merge(returns, complaints).map(event -> handle(event))
     * }
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // only read
    @Operator(acks = "kept with each element", cost = "a segment and a buffer for each input")
    public final Source<T> merge(Source<? extends T>... others) {
        return Source.at(Junctions.merge(nodesOf(node(), List.of(others))));
    }

    /**
     * As {@link #merge}, but batches of {@code preferred} that are there go before those of this source.
     *
     * {@snippet :
     * jobs.mergePreferred(commands)
     * }
     */
    @Operator(acks = "kept with each element", cost = "a segment and a buffer for each input")
    public Source<T> mergePreferred(Source<? extends T> preferred) {
        return Source.at(Junctions.mergePreferred(List.of(nodeOf(preferred), node())));
    }

    /**
     * As {@link #merge}, but as long as several inputs have elements they share the stream in proportion to their
     * weights, counted in elements over the batches.
     *
     * {@snippet :
     * gold.mergePrioritized(List.of(silver, bronze), 6, 3, 1)
     * }
     *
     * @param weights at least 1 each; that of this source first, then those of the others
     */
    @Operator(acks = "kept with each element", cost = "a segment and a buffer for each input")
    public Source<T> mergePrioritized(List<? extends Source<? extends T>> others, int... weights) {
        return Source.at(Junctions.mergePrioritized(nodesOf(node(), others), weights.clone()));
    }

    /**
     * Merges two sorted sources into a sorted one. It waits for the next element of both; of equal ones, that of this
     * source comes first. Ends when both have ended. Acknowledgements go with their elements. A comparator that throws
     * fails the stream.
     *
     * {@snippet :
     * today.mergeSorted(yesterday, Comparator.comparing(Event::time))
     * }
     */
    @Operator(acks = "kept with each element", cost = "a comparison per element; inputs are pulled in turn")
    public Source<T> mergeSorted(Source<? extends T> other, Comparator<? super T> order) {
        return Source.at(Junctions.mergeSorted(node(), nodeOf(other), Objects.requireNonNull(order, "order")));
    }

    /**
     * Emits a list of the latest element of each input whenever one of them has a new one, from when all have had one.
     * Ends when all have ended.
     *
     * <p>An element is acknowledged when it was replaced by a newer one of its input, or all have ended, and each list
     * that it is part of is finished. One that came to an end without ever being in a list is not acknowledged.
     *
     * {@snippet :
     * temperature.mergeLatest(pressure, humidity)
     * }
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // only read
    @Operator(
            acks = "when replaced and all lists it is in are finished",
            cost = "a segment and a buffer for each input; a list and an acknowledgement per element")
    public final Source<List<T>> mergeLatest(Source<? extends T>... others) {
        return Source.at(Junctions.mergeLatest(nodesOf(node(), List.of(others))));
    }

    /**
     * Emits this source, then the others, one after the other. A source is pulled when those before it have ended, but
     * what it has above an asynchronous boundary runs from the start. Acknowledgements go with their elements.
     *
     * {@snippet :
     * history.concat(live)
     * }
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // only read
    @Operator(acks = "kept with each element", cost = "nothing per element")
    public final Source<T> concat(Source<? extends T>... others) {
        return Source.at(Junctions.concat(nodesOf(node(), List.of(others))));
    }

    /**
     * Emits {@code first}, then this source; see {@link #concat}.
     *
     * {@snippet :
     * lines.prepend(Source.of("header"))
     * }
     */
    @Operator(acks = "kept with each element", cost = "nothing per element")
    public Source<T> prepend(Source<? extends T> first) {
        return Source.at(Junctions.concat(List.of(nodeOf(first), node())).with(Attributes.named("prepend")));
    }

    /**
     * Emits this source, or {@code otherwise} if this one ends without an element. Acknowledgements go with their
     * elements.
     *
     * {@snippet :
     * matches.orElse(Source.of(NO_MATCH))
     * }
     */
    @Operator(acks = "kept with each element", cost = "nothing per element")
    public Source<T> orElse(Source<? extends T> otherwise) {
        return Source.at(Junctions.orElse(node(), nodeOf(otherwise)));
    }

    /**
     * Emits {@code segmentSize} elements of this source, then as many of the other, and so on; when one has ended, the
     * rest of the other. It waits for the one whose turn it is. Acknowledgements go with their elements.
     *
     * {@snippet :
     * Source.of(1, 2, 3, 4).interleave(Source.of(10, 20), 2) // 1, 2, 10, 20, 3, 4
     * }
     *
     * @param segmentSize at least 1
     */
    @Operator(acks = "kept with each element", cost = "a move per element; inputs are pulled in turn")
    public Source<T> interleave(Source<? extends T> other, int segmentSize) {
        return Source.at(Junctions.interleave(node(), nodeOf(other), segmentSize));
    }

    /**
     * Pairs the elements of two sources, first with first, second with second; see {@link #zipWith}.
     *
     * {@snippet :
     * names.zip(ages).map(pair -> pair.first() + " is " + pair.second())
     * }
     */
    @Operator(acks = "both when the pair is", cost = "a pair per element, and a joint acknowledgement if both have one")
    public <B> Source<Pair<T, B>> zip(Source<B> other) {
        return Source.at(Junctions.zip("zip", node(), other.node(), Pair<T, B>::new));
    }

    /**
     * Combines the elements of two sources one by one. Ends when either ends; what the other has left is
     * treated as beyond a {@link #take}. The two elements are acknowledged when the result is. A pair for which {@code combine} throws is put
     * to the supervision.
     *
     * {@snippet :
     * prices.zipWith(amounts, (price, amount) -> price * amount)
     * }
     */
    @Operator(acks = "both when the result is", cost = "a call per pair, and a joint acknowledgement if both have one")
    public <B, R> Source<R> zipWith(Source<B> other, BiFunction<? super T, ? super B, ? extends R> combine) {
        return Source.at(Junctions.zip("zipWith", node(), other.node(), Objects.requireNonNull(combine, "combine")));
    }

    /**
     * Pairs the latest elements of two sources; see {@link #zipLatestWith}.
     *
     * {@snippet :
     * clicks.zipLatest(settings)
     * }
     */
    @Operator(
            acks = "when replaced and all pairs it is in are finished",
            cost = "two segments; a pair and an acknowledgement per element")
    public <B> Source<Pair<T, B>> zipLatest(Source<B> other) {
        return Source.at(Junctions.zipLatest("zipLatest", node(), other.node(), Pair<T, B>::new));
    }

    /**
     * Combines the latest elements of two sources whenever one of them has a new one, from when both have had one. Ends
     * when either ends; what the other still had waiting is not acknowledged.
     *
     * <p>An element is acknowledged when it was replaced by a newer one of its input, or the end has come, and each
     * result that it is part of is finished; one that never was in a result when the end comes is not. When
     * {@code combine} throws, the supervision decides on the element that came last: a skipped one remains the latest of
     * its input; {@code RESTART} forgets the latest of both.
     *
     * {@snippet :
     * orders.zipLatestWith(rates, (order, rate) -> order.in(rate))
     * }
     */
    @Operator(
            acks = "when replaced and all results it is in are finished",
            cost = "two segments; a call and an acknowledgement per element")
    public <B, R> Source<R> zipLatestWith(Source<B> other, BiFunction<? super T, ? super B, ? extends R> combine) {
        return Source.at(
                Junctions.zipLatest("zipLatestWith", node(), other.node(), Objects.requireNonNull(combine, "combine")));
    }

    private static <T> SideSink<T> side(Sink<? super T> sink) {
        Hole<T> hole = new Hole<>();
        return new SideSink<>(hole, sink.close(Source.at(hole.node())).builder);
    }

    private static <T> List<SideSink<T>> sides(Sink<? super T>[] sinks) {
        List<SideSink<T>> sides = new ArrayList<>();
        for (Sink<? super T> sink : sinks) {
            sides.add(JunctionOperators.<T>side(sink));
        }
        return sides;
    }

    /** The part of a blueprint that a function from source to source stands for. */
    static <T, R> Branch<T, R> branch(Function<? super Source<T>, Source<R>> function) {
        Hole<T> hole = new Hole<>();
        return new Branch<>(hole, function.apply(Source.at(hole.node())).node());
    }

    private static <T, R> List<Branch<T, R>> copies(int count, Function<? super Source<T>, Source<R>> function) {
        List<Branch<T, R>> branches = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            branches.add(branch(function));
        }
        return branches;
    }

    /**
     * Hands each element to {@code sink} as well. It goes at the pace of the slower; the sink has a buffer. When the
     * sink returns early the stream ends with the next element; the sink ends when the stream does.
     *
     * <p>An element is acknowledged when both the sink and what is below have acknowledged it.
     *
     * {@snippet :
     * orders.alsoTo(audit).map(order -> bill(order))
     * }
     */
    @Operator(acks = "when both sides have acknowledged", cost = "a segment; a copy per batch")
    public Source<T> alsoTo(Sink<? super T> sink) {
        return Source.at(Junctions.alsoTo(node(), side(sink)));
    }

    /**
     * Shows each element to {@code sink} as long as that keeps up: batches for which its buffer has no room pass it by.
     * What the sink acknowledges does not count, nor whether it ends; if it fails, the stream does.
     *
     * {@snippet :
     * orders.wireTap(Sink.forEach(order -> log(order)))
     * }
     */
    @Operator(acks = "kept with each element; the sink's do not count", cost = "a segment; a copy per batch")
    public Source<T> wireTap(Sink<? super T> sink) {
        return Source.at(Junctions.wireTap(node(), side(sink)));
    }

    /**
     * Sends the elements that {@code divert} accepts to {@code sink} instead of on, with their acknowledgements. It waits
     * for room in the sink's buffer. When the sink returns early the stream ends with the next element for it; the sink
     * ends when the stream does. An element for which {@code divert} throws is put to the supervision.
     *
     * {@snippet :
     * orders.divertTo(rejects, order -> !order.isValid())
     * }
     */
    @Operator(acks = "kept with each element", cost = "a segment; a test per element")
    public Source<T> divertTo(Sink<? super T> sink, Predicate<? super T> divert) {
        return Source.at(Junctions.divertTo(node(), side(sink), Objects.requireNonNull(divert, "divert")));
    }

    /**
     * Hands each element to each branch and merges what they emit, as it comes. Each branch runs on a thread of its own,
     * behind a buffer; all go at the pace of the slowest.
     *
     * <p>An element is acknowledged when every branch has done so. When a branch ends by itself (a {@code take}), the
     * others go on and its share counts as acknowledged, but not what its own stages had pulled and hold; when the last
     * one ends, the stream does.
     *
     * {@snippet :
     * events.broadcast(List.of(s -> s.map(e -> index(e)), s -> s.filter(e -> e.isAlarm()).map(e -> alarm(e))))
     * }
     *
     * @param branches at least 1
     */
    @Operator(acks = "when every branch has acknowledged", cost = "a segment for each branch; a copy per batch")
    public <R> Source<R> broadcast(List<? extends Function<? super Source<T>, Source<R>>> branches) {
        List<Branch<T, R>> built = new ArrayList<>();
        branches.forEach(branch -> built.add(branch(branch)));
        return Source.at(Junctions.broadcast(node(), built));
    }

    /**
     * Hands each element to each sink; see {@link #broadcast}. The pipeline ends when all sinks have.
     *
     * {@snippet :
     * events.broadcastTo(archive, alarms).run()
     * }
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // only read
    @Operator(acks = "when every sink has acknowledged", cost = "a segment for each sink; a copy per batch")
    public final Pipeline broadcastTo(Sink<? super T>... sinks) {
        return Pipeline.of(Junctions.broadcastTo(node(), sides(sinks)));
    }

    /**
     * Spreads the elements over {@code branches} equal branches, each on a thread of its own: whichever asks first gets
     * the next. What they emit is merged as it comes; no order is kept. When a branch ends by itself the others go on,
     * when the last one ends the stream does. Acknowledgements go with the elements.
     *
     * {@snippet :
     * pages.balance(4, s -> s.map(page -> render(page)))
     * }
     *
     * @param branches at least 1
     */
    @Operator(acks = "kept with each element", cost = "a segment for each branch; a move per element")
    public <R> Source<R> balance(int branches, Function<? super Source<T>, Source<R>> function) {
        return Source.at(Junctions.balance(node(), copies(branches, function)));
    }

    /**
     * Spreads the elements over sinks: whichever asks first gets the next; see {@link #balance}.
     *
     * {@snippet :
     * jobs.balanceTo(connection1, connection2).run()
     * }
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // only read
    @Operator(acks = "kept with each element", cost = "a segment for each sink; a move per element")
    public final Pipeline balanceTo(Sink<? super T>... sinks) {
        return Pipeline.of(Junctions.balanceTo(node(), sides(sinks)));
    }

    /**
     * Sends each element to the one of {@code partitions} equal branches that {@code partition} names, each on a thread
     * of its own behind a buffer; a full buffer halts all. What they emit is merged as it comes, so that each branch's
     * order is kept. When a branch ends by itself, elements for it are dropped and acknowledged from then on; when the
     * last one ends the stream does. Acknowledgements go with the elements; one for which {@code partition} throws, or
     * names no branch, is put to the supervision.
     *
     * {@snippet :
     * events.partition(8, e -> Math.floorMod(e.key().hashCode(), 8), s -> s.map(e -> apply(e)))
     * }
     *
     * @param partitions at least 1
     * @param partition from an element to 0 up to {@code partitions - 1}
     */
    @Operator(acks = "kept with each element", cost = "a segment for each branch; a call and a move per element")
    public <R> Source<R> partition(
            int partitions, ToIntFunction<? super T> partition, Function<? super Source<T>, Source<R>> function) {
        return Source.at(Junctions.partition(
                node(), Objects.requireNonNull(partition, "partition"), copies(partitions, function)));
    }

    /**
     * Sends each element to the sink that {@code partition} names; see {@link #partition}.
     *
     * {@snippet :
     * events.partitionTo(e -> e.isAlarm() ? 1 : 0, archive, alarms).run()
     * }
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // only read
    @Operator(acks = "kept with each element", cost = "a segment for each sink; a call and a move per element")
    public final Pipeline partitionTo(ToIntFunction<? super T> partition, Sink<? super T>... sinks) {
        return Pipeline.of(Junctions.partitionTo(node(), Objects.requireNonNull(partition, "partition"), sides(sinks)));
    }

    /**
     * Takes each element apart into two streams, which {@code join} makes one of again. Both must be used, and read at
     * about the same pace: one that is ahead of the other by more than the buffer waits for it forever if {@code join}
     * reads them one after the other. When either ends by itself all does, with the next element.
     *
     * <p>An element is acknowledged when both parts have been.
     *
     * {@snippet :
     * users.unzip(User::name, User::age, (names, ages) -> names.map(n -> n.trim()).zip(ages))
     * }
     */
    @Operator(
            acks = "when both parts have been acknowledged",
            cost = "a segment; a copy per batch, two calls per element")
    public <A, B, R> Source<R> unzip(
            Function<? super T, ? extends A> left,
            Function<? super T, ? extends B> right,
            BiFunction<? super Source<A>, ? super Source<B>, Source<R>> join) {
        Hole<T> leftHole = new Hole<>();
        Hole<T> rightHole = new Hole<>();
        Source<A> lefts = Source.at(leftHole.node()).map(left);
        Source<B> rights = Source.at(rightHole.node()).map(right);
        return Source.at(Junctions.unzip(
                node(), leftHole, rightHole, join.apply(lefts, rights).node()));
    }

    /**
     * Takes each element apart for two sinks; see {@link #broadcastTo}.
     *
     * {@snippet :
     * users.unzipTo(User::name, names, User::age, ages).run()
     * }
     */
    @Operator(
            acks = "when both parts have been acknowledged",
            cost = "two segments; a copy per batch, two calls per element")
    public <A, B> Pipeline unzipTo(
            Function<? super T, ? extends A> left,
            Sink<? super A> leftSink,
            Function<? super T, ? extends B> right,
            Sink<? super B> rightSink) {
        Function<Source<T>, Pipeline> lefts = source -> source.<A>map(left).to(leftSink);
        Function<Source<T>, Pipeline> rights = source -> source.<B>map(right).to(rightSink);
        return broadcastTo(Sink.through(lefts), Sink.through(rights));
    }
}
