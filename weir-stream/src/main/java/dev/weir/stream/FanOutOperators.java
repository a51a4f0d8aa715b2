package dev.weir.stream;

import dev.weir.stream.internal.junction.JunctionStages;
import dev.weir.stream.internal.junction.SideSink;
import dev.weir.stream.internal.run.ArgumentChecks;
import dev.weir.stream.internal.run.BlueprintBranch;
import dev.weir.stream.internal.run.OpenInput;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;

/**
 * Operators with several outputs. Part of {@link Source}.
 *
 * <p>Each output runs on its own thread, with a buffer of {@value dev.weir.stream.ParallelOperators#DEFAULT_BUFFER}
 * elements or the size set by {@link Source#with}. A failure of any output fails the stream. An upstream failure
 * reaches all outputs, after the elements that preceded it.
 */
abstract class FanOutOperators<T> extends FanInOperators<T> {

    private static final int MAX_BRANCHES = 100_000;

    private static <T> SideSink<T> side(Sink<? super T> sink) {
        OpenInput<T> input = new OpenInput<>();
        return new SideSink<>(input, Objects.requireNonNull(sink, "sink").close(Source.at(input.node())).builder);
    }

    private static <T> List<SideSink<T>> sides(Sink<? super T>[] sinks) {
        List<SideSink<T>> sides = new ArrayList<>();
        for (Sink<? super T> sink : ArgumentChecks.list("sinks", sinks)) {
            sides.add(FanOutOperators.<T>side(sink));
        }
        return sides;
    }

    /** Calls {@code function} with the input of a new branch, and returns the branch. */
    static <T, R> BlueprintBranch<T, R> branch(Function<? super Source<T>, Source<R>> function) {
        OpenInput<T> input = new OpenInput<>();
        Source<R> lowest = Objects.requireNonNull(function, "function").apply(Source.at(input.node()));
        return new BlueprintBranch<>(input, made("a branch or section", lowest));
    }

    private static <T, R> List<BlueprintBranch<T, R>> copies(
            String name, int count, Function<? super Source<T>, Source<R>> function) {
        if (count < 1 || count > MAX_BRANCHES) {
            throw new IllegalArgumentException(name + " must be 1 to " + MAX_BRANCHES + ": " + name + "=" + count);
        }
        List<BlueprintBranch<T, R>> branches = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            branches.add(branch(function));
        }
        return branches;
    }

    /**
     * Hands each element to {@code sink} as well as to the next stage. The sink has its own buffer. The slower of the
     * sink and the downstream stages sets the pace. If the sink returns early, the stream ends when the next element
     * arrives. The sink ends when the stream does.
     *
     * <p>An element is acknowledged when both the sink and the downstream stages have acknowledged it.
     *
     * {@snippet :
     * orders.alsoTo(audit).map(order -> bill(order))
     * }
     */
    @Operator(acks = "when acknowledged by both `sink` and the next stage", cost = "a thread; a copy per batch")
    public Source<T> alsoTo(Sink<? super T> sink) {
        return Source.at(JunctionStages.alsoTo(node(), side(sink)));
    }

    /**
     * Copies each element to {@code sink} as long as the sink keeps up. A batch that does not fit into the sink's
     * buffer is not copied. The sink's acknowledgements and its end do not affect the stream, but a failure of the sink
     * fails the stream.
     *
     * {@snippet :
     * orders.wireTap(Sink.forEach(order -> log(order)))
     * }
     */
    @Operator(acks = "acknowledgements from `sink` are ignored", cost = "a thread; a copy per batch")
    public Source<T> wireTap(Sink<? super T> sink) {
        return Source.at(JunctionStages.wireTap(node(), side(sink)));
    }

    /**
     * Sends the elements that match {@code divert} to {@code sink}, together with their acknowledgements. The other
     * elements continue downstream. Waits while the sink's buffer is full. If the sink returns early, the stream ends
     * when the next element for the sink arrives. The sink ends when the stream does. If {@code divert} throws, the
     * supervision decides what happens to the element.
     *
     * {@snippet :
     * orders.divertTo(rejects, order -> !order.isValid())
     * }
     */
    @Operator(acks = "kept with each element", cost = "a thread; a call of `divert` per element")
    public Source<T> divertTo(Sink<? super T> sink, Predicate<? super T> divert) {
        return Source.at(JunctionStages.divertTo(node(), side(sink), Objects.requireNonNull(divert, "divert")));
    }

    /**
     * Hands each element to every branch and merges the branches' outputs in order of arrival. Each branch runs on its
     * own thread with a buffer; the slowest branch sets the pace.
     *
     * <p>An element is acknowledged when every branch has acknowledged it. If a branch ends early, for example because
     * of a {@code take}, the other branches continue, and the ended branch counts as having acknowledged every element,
     * including elements in its own stages. The stream ends when the last branch ends. Elements that no branch has
     * finished by then are not acknowledged.
     *
     * {@snippet :
     * events.broadcast(List.of(s -> s.map(e -> index(e)), s -> s.filter(e -> e.isAlarm()).map(e -> alarm(e))))
     * }
     *
     * @param branches at least one branch
     */
    @Operator(acks = "when acknowledged by every branch", cost = "a thread per branch; a copy per batch")
    public <R> Source<R> broadcast(List<? extends Function<? super Source<T>, Source<R>>> branches) {
        List<BlueprintBranch<T, R>> built = new ArrayList<>();
        ArgumentChecks.list("branches", branches).forEach(branch -> built.add(branch(branch)));
        return Source.at(JunctionStages.broadcast(node(), built));
    }

    /**
     * Hands each element to every sink. The pipeline ends when all sinks have ended. See {@link #broadcast}.
     *
     * {@snippet :
     * events.broadcastTo(archive, alarms).run()
     * }
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // the array is only read
    @Operator(acks = "when acknowledged by every sink", cost = "a thread per sink; a copy per batch")
    public final Pipeline broadcastTo(Sink<? super T>... sinks) {
        return Pipeline.of(JunctionStages.broadcastTo(node(), sides(sinks)));
    }

    /**
     * Distributes the elements over {@code branches} identical branches, each on its own thread. The next element goes
     * to the first branch that has requested one. The branches' outputs are merged in order of arrival, so the order of
     * the elements is not preserved. If a branch ends early, the others continue. The stream ends when the last branch
     * ends. Each element keeps its acknowledgement.
     *
     * {@snippet :
     * pages.balance(4, s -> s.map(page -> render(page)))
     * }
     *
     * @param branches 1 to 100,000
     */
    @Operator(acks = "kept with each element", cost = "a thread per branch; a copied reference per element")
    public <R> Source<R> balance(int branches, Function<? super Source<T>, Source<R>> function) {
        return Source.at(JunctionStages.balance(node(), copies("branches", branches, function)));
    }

    /**
     * Hands each element to the first sink that requests one. See {@link #balance}.
     *
     * {@snippet :
     * jobs.balanceTo(connection1, connection2).run()
     * }
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // the array is only read
    @Operator(acks = "kept with each element", cost = "a thread per sink; a copied reference per element")
    public final Pipeline balanceTo(Sink<? super T>... sinks) {
        return Pipeline.of(JunctionStages.balanceTo(node(), sides(sinks)));
    }

    /**
     * Sends each element to one of {@code partitions} identical branches, chosen by {@code partition}. Each branch runs
     * on its own thread with a buffer. While the buffer for the next element is full, the other branches receive no
     * elements either. The outputs are merged in order of arrival, which preserves the order within each branch. If a
     * branch ends early, further elements for it are dropped and acknowledged. The stream ends when the last branch
     * ends. Each element keeps its acknowledgement. If {@code partition} throws or returns a number that is out of
     * range, the supervision decides what happens to the element.
     *
     * {@snippet :
     * events.partition(8, e -> Math.floorMod(e.key().hashCode(), 8), s -> s.map(e -> apply(e)))
     * }
     *
     * @param partitions 1 to 100,000
     * @param partition returns the element's branch, 0 to {@code partitions - 1}
     */
    @Operator(acks = "kept with each element", cost = "a thread per branch; a call and a copied reference per element")
    public <R> Source<R> partition(
            int partitions, ToIntFunction<? super T> partition, Function<? super Source<T>, Source<R>> function) {
        return Source.at(JunctionStages.partition(
                node(), Objects.requireNonNull(partition, "partition"), copies("partitions", partitions, function)));
    }

    /**
     * Sends each element to the sink chosen by {@code partition}. See {@link #partition}.
     *
     * {@snippet :
     * events.partitionTo(e -> e.isAlarm() ? 1 : 0, archive, alarms).run()
     * }
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // the array is only read
    @Operator(acks = "kept with each element", cost = "a thread per sink; a call and a copied reference per element")
    public final Pipeline partitionTo(ToIntFunction<? super T> partition, Sink<? super T>... sinks) {
        return Pipeline.of(
                JunctionStages.partitionTo(node(), Objects.requireNonNull(partition, "partition"), sides(sinks)));
    }

    /**
     * Splits each element into two parts and emits the parts to two streams, which {@code join} combines again. The
     * function must use both streams and read them at about the same pace: reading one after the other blocks forever
     * once a buffer is full. If either stream ends early, the whole stream ends when the next element arrives.
     *
     * <p>An element is acknowledged when both of its parts have been acknowledged.
     *
     * {@snippet :
     * users.unzip(User::name, User::age, (names, ages) -> names.map(n -> n.trim()).zip(ages))
     * }
     */
    @Operator(
            acks = "when both parts are acknowledged",
            cost = "a thread; a copy per batch; two function calls per element")
    public <A, B, R> Source<R> unzip(
            Function<? super T, ? extends A> left,
            Function<? super T, ? extends B> right,
            BiFunction<? super Source<A>, ? super Source<B>, Source<R>> join) {
        OpenInput<T> leftInput = new OpenInput<>();
        OpenInput<T> rightInput = new OpenInput<>();
        Source<A> lefts = Source.at(leftInput.node()).map(Objects.requireNonNull(left, "left"));
        Source<B> rights = Source.at(rightInput.node()).map(Objects.requireNonNull(right, "right"));
        return Source.at(JunctionStages.unzip(
                node(),
                leftInput,
                rightInput,
                made("unzip", Objects.requireNonNull(join, "join").apply(lefts, rights))));
    }

    /**
     * Splits each element into two parts and hands each part to its own sink. See {@link #broadcastTo}.
     *
     * {@snippet :
     * users.unzipTo(User::name, names, User::age, ages).run()
     * }
     */
    @Operator(
            acks = "when both parts are acknowledged",
            cost = "two threads; a copy per batch; two function calls per element")
    public <A, B> Pipeline unzipTo(
            Function<? super T, ? extends A> left,
            Sink<? super A> leftSink,
            Function<? super T, ? extends B> right,
            Sink<? super B> rightSink) {
        Objects.requireNonNull(left, "left");
        Objects.requireNonNull(leftSink, "leftSink");
        Objects.requireNonNull(right, "right");
        Objects.requireNonNull(rightSink, "rightSink");
        Function<Source<T>, Pipeline> lefts = source -> source.<A>map(left).to(leftSink);
        Function<Source<T>, Pipeline> rights = source -> source.<B>map(right).to(rightSink);
        return broadcastTo(Sink.through(lefts), Sink.through(rights));
    }
}
