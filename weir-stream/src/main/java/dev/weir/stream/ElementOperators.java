package dev.weir.stream;

import dev.weir.stream.internal.operator.ElementStages;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.spi.ElementOperator;
import dev.weir.stream.spi.OperatorFactory;
import java.lang.System.Logger;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Operators that look at one element at a time. Part of {@link Source}.
 *
 * <p>Unless a method says otherwise: elements keep their order; a batch is pulled when the stage below asks for one;
 * the end and a failure from above pass on at once; a cancellation loses nothing that the source would not deliver
 * again. An element for which a function throws goes to the stage's {@link Supervision}; if that fails the stream, the
 * elements before it still pass on first.
 */
abstract class ElementOperators<T> {

    private static final String SAME = "each goes with its element";
    private static final String DROPPED_AT_ONCE = "dropped elements at once; the others' go with them";
    private static final String BEYOND_NOT =
            "what lies beyond the end is not acknowledged, but in a stream within the stream it is: the outer stream continues";
    private static final String FREE = "no allocation";

    /** The most recently added stage. */
    abstract BlueprintNode<T> node();

    /** Adds the operators of a flow. */
    @Operator(acks = "as in its operators", cost = "as in its operators")
    public <R> Source<R> via(Flow<T, R> flow) {
        return Objects.requireNonNull(flow, "flow").below(Source.at(node()));
    }

    /**
     * Adds a custom operator that processes one element at a time.
     *
     * @param name in snapshots
     * @param operators creates one for each run, when its first element arrives
     */
    @Operator(acks = "each when all that was emitted for it is; at once if nothing was", cost = "an object per element")
    public <R> Source<R> operator(String name, Supplier<? extends ElementOperator<? super T, R>> operators) {
        Objects.requireNonNull(operators, "operators");
        return Source.at(ElementStages.operator(Objects.requireNonNull(name, "name"), node(), operators));
    }

    /**
     * Adds a custom operator that works on batches with the full protocol: it may hold elements back with their
     * acknowledgements, pull ahead, wait, and end the stream. It runs fused, on the thread of its neighbouring
     * operators. {@link OperatorFactory} states its obligations; {@link Source#supervised} does not reach it.
     *
     * @param name in snapshots
     */
    @Operator(acks = "the implementation's", cost = "the implementation's")
    public <R> Source<R> stage(String name, OperatorFactory<T, R> factory) {
        Objects.requireNonNull(factory, "factory");
        return Source.at(ElementStages.stage(Objects.requireNonNull(name, "name"), node(), factory));
    }

    /**
     * Replaces each element by the result of {@code function}. The result carries the acknowledgement of the element.
     *
     * <pre>{@code
     * Source.of(1, 2, 3).map(n -> n * 10) // 10, 20, 30
     * }</pre>
     */
    @Operator(acks = SAME, cost = FREE)
    public <R> Source<R> map(Function<? super T, ? extends R> function) {
        return Source.at(ElementStages.map(node(), Objects.requireNonNull(function, "function")));
    }

    /**
     * Keeps the elements that {@code keep} accepts; the others are acknowledged at once.
     *
     * <pre>{@code
     * Source.of(1, 2, 3, 4).filter(n -> n % 2 == 0) // 2, 4
     * }</pre>
     */
    @Operator(acks = DROPPED_AT_ONCE, cost = FREE)
    public Source<T> filter(Predicate<? super T> keep) {
        return Source.at(ElementStages.filter(node(), Objects.requireNonNull(keep, "keep")));
    }

    /**
     * Keeps the elements that {@code drop} does not accept; the others are acknowledged at once.
     *
     * <pre>{@code
     * Source.of("a", "", "b").filterNot(String::isEmpty) // a, b
     * }</pre>
     */
    @Operator(acks = DROPPED_AT_ONCE, cost = FREE)
    public Source<T> filterNot(Predicate<? super T> drop) {
        return Source.at(ElementStages.filterNot(node(), Objects.requireNonNull(drop, "drop")));
    }

    /**
     * Maps and filters in one step: replaces each element by the result of {@code function}, or drops it if that is
     * null. Dropped elements are acknowledged at once.
     *
     * <pre>{@code
     * Source.of("1", "x", "2").collect(s -> s.equals("x") ? null : Integer.valueOf(s)) // 1, 2
     * }</pre>
     */
    @Operator(acks = DROPPED_AT_ONCE, cost = FREE)
    public <R> Source<R> collect(Function<? super T, @Nullable R> function) {
        return Source.at(ElementStages.<T, R>collect(node(), Objects.requireNonNull(function, "function")));
    }

    /**
     * Keeps the elements of one type; the others are acknowledged at once.
     *
     * <pre>{@code
     * Source.<Object>of(1, "two", 3).collect(Integer.class) // 1, 3
     * }</pre>
     */
    @Operator(acks = DROPPED_AT_ONCE, cost = FREE)
    public <R> Source<R> collect(Class<R> type) {
        Objects.requireNonNull(type, "type");
        return this.<R>collect(element -> type.isInstance(element) ? type.cast(element) : null);
    }

    /**
     * Replaces each element by any number of others. The element is acknowledged when the last of them is, or at once
     * if there are none. The iterable may be long: it is read on demand.
     *
     * <pre>{@code
     * Source.of(1, 2, 3).mapConcat(n -> Collections.nCopies(n, n)) // 1, 2, 2, 3, 3, 3
     * }</pre>
     */
    @Operator(acks = "when the last child's is", cost = "the iterable; a batch per 512 children")
    public <R> Source<R> mapConcat(Function<? super T, ? extends Iterable<? extends R>> function) {
        return Source.at(ElementStages.mapConcat(node(), Objects.requireNonNull(function, "function")));
    }

    /**
     * {@link #statefulMap(Supplier, BiFunction, Function, Action)} with a state that emits nothing at the end and
     * needs no closing.
     *
     * <pre>{@code
     * Source.of(3, 1, 2).statefulMap(() -> new long[1], (sum, n) -> sum[0] += n) // 3, 4, 6
     * }</pre>
     */
    @Operator(acks = DROPPED_AT_ONCE, cost = FREE)
    public <S, R> Source<R> statefulMap(
            Supplier<? extends S> create, BiFunction<? super S, ? super T, @Nullable R> apply) {
        return this.<S, R>statefulMap(create, apply, state -> Optional.empty(), state -> {});
    }

    /**
     * Replaces each element by a function that also has mutable state. The state belongs to one run and one thread.
     *
     * <p>Acknowledgements: each result carries the acknowledgement of the element that it was returned for. State kept
     * from an acknowledged element is lost if the pipeline fails; {@link #fold} and {@link Source#grouped} hold
     * acknowledgements back instead. {@code onComplete} is called on a normal end only, not on a failure or a
     * cancellation; {@code close} is called exactly once for each state in any case. A restart by supervision closes
     * the state and creates another.
     *
     * @param create creates the state when it is first needed
     * @param apply returns the result, or null to drop the element and acknowledge it at once
     * @param onComplete returns an element to emit after the last result, or none; nobody waits for its acknowledgement
     * @param close releases the state
     */
    @Operator(acks = DROPPED_AT_ONCE, cost = FREE)
    public <S, R> Source<R> statefulMap(
            Supplier<? extends S> create,
            BiFunction<? super S, ? super T, @Nullable R> apply,
            Function<? super S, Optional<R>> onComplete,
            Action<? super S> close) {
        return Source.at(ElementStages.<S, T, R>statefulMap(
                node(),
                Objects.requireNonNull(create, "create"),
                Objects.requireNonNull(apply, "apply"),
                Objects.requireNonNull(onComplete, "onComplete"),
                Objects.requireNonNull(close, "close")));
    }

    /**
     * Emits {@code initial}, then for each element the result of {@code function} for the previous emission and the
     * element. Each emission carries the acknowledgement of its element; {@code initial} has none. A
     * restart by supervision continues from {@code initial}, without emitting it again.
     *
     * <pre>{@code
     * Source.of(1, 2, 3).scan(0, Integer::sum) // 0, 1, 3, 6
     * }</pre>
     *
     * @param initial shared by all runs, so it must not be modified
     */
    @Operator(acks = SAME, cost = FREE)
    public <R> Source<R> scan(R initial, BiFunction<? super R, ? super T, ? extends R> function) {
        return Source.at(ElementStages.scan(
                node(), Objects.requireNonNull(initial, "initial"), Objects.requireNonNull(function, "function")));
    }

    /**
     * Combines all elements into one, emitted at the end: {@code initial} if there were none. On a failure or a
     * cancellation nothing is emitted.
     *
     * <p>Acknowledgements: the elements are acknowledged together, when the result is; until then each counts against
     * the source's limit of unacknowledged elements, so use this for finite streams or substreams. A restart by
     * supervision drops and acknowledges the elements combined so far.
     *
     * <pre>{@code
     * Source.of(1, 2, 3).fold(10, Integer::sum) // 16
     * }</pre>
     *
     * @param initial shared by all runs, so it must not be modified
     */
    @Operator(acks = "all together, with the result", cost = "16 bytes per acknowledged element, until the end")
    public <R> Source<R> fold(R initial, BiFunction<? super R, ? super T, ? extends R> function) {
        return Source.at(ElementStages.fold(
                node(), Objects.requireNonNull(initial, "initial"), Objects.requireNonNull(function, "function")));
    }

    /**
     * As {@link #fold}, beginning with the first element; emits nothing if there are none.
     *
     * <pre>{@code
     * Source.of(3, 1, 2).reduce(Integer::max) // 3
     * }</pre>
     */
    @Operator(acks = "all together, with the result", cost = "16 bytes per acknowledged element, until the end")
    public Source<T> reduce(BiFunction<? super T, ? super T, ? extends T> function) {
        return Source.at(ElementStages.reduce(node(), Objects.requireNonNull(function, "function")));
    }

    /**
     * Lets {@code count} elements through and ends, and closes the stages above at once.
     *
     * <p>Acknowledgements: elements beyond the last that came in its batch, or are still inside the stages above, are
     * not acknowledged. They were not worked on; a source that waits for acknowledgements delivers them again in the
     * next run. In a substream (a group, a section, a branch while others run) the rest of the pipeline continues, and
     * an element that is never acknowledged would hold back all later commits. Substreams therefore acknowledge the
     * surplus elements of the last batch, and those in their own buffers, groups, parallel stages and nested
     * substreams. An element that a handler is working on is acknowledged when the handler returns.
     *
     * <pre>{@code
     * Source.repeat("x").take(3) // x, x, x
     * }</pre>
     *
     * @param count at least 0; for 0 nothing is requested
     */
    @Operator(acks = BEYOND_NOT, cost = FREE)
    public Source<T> take(long count) {
        return Source.at(ElementStages.take(node(), count));
    }

    /** {@link #takeWhile(Predicate, boolean)} without the element that ends it. */
    @Operator(acks = BEYOND_NOT, cost = FREE)
    public Source<T> takeWhile(Predicate<? super T> predicate) {
        return takeWhile(predicate, false);
    }

    /**
     * Lets elements through until {@code predicate} rejects one, then ends and closes the stages above at once.
     * Elements beyond the end are not acknowledged, as with {@link #take}; neither is the rejected element, unless
     * {@code inclusive}.
     *
     * <pre>{@code
     * Source.of(1, 2, 3, 1).takeWhile(n -> n < 3)       // 1, 2
     * Source.of(1, 2, 3, 1).takeWhile(n -> n < 3, true) // 1, 2, 3
     * }</pre>
     *
     * @param inclusive whether the rejected element goes through as the last
     */
    @Operator(acks = BEYOND_NOT, cost = FREE)
    public Source<T> takeWhile(Predicate<? super T> predicate, boolean inclusive) {
        return Source.at(ElementStages.takeWhile(node(), Objects.requireNonNull(predicate, "predicate"), inclusive));
    }

    /**
     * Drops and acknowledges the first {@code count} elements.
     *
     * <pre>{@code
     * Source.of(1, 2, 3).drop(2) // 3
     * }</pre>
     *
     * @param count at least 0
     */
    @Operator(acks = DROPPED_AT_ONCE, cost = FREE)
    public Source<T> drop(long count) {
        return Source.at(ElementStages.drop(node(), count));
    }

    /**
     * Drops and acknowledges elements until {@code predicate} rejects one; that one and all later ones go through. A
     * restart by supervision starts dropping again.
     *
     * <pre>{@code
     * Source.of(1, 2, 3, 1).dropWhile(n -> n < 3) // 3, 1
     * }</pre>
     */
    @Operator(acks = DROPPED_AT_ONCE, cost = FREE)
    public Source<T> dropWhile(Predicate<? super T> predicate) {
        return Source.at(ElementStages.dropWhile(node(), Objects.requireNonNull(predicate, "predicate")));
    }

    /**
     * Lets {@code limit} elements through and fails with a {@link LimitExceededException} at the next: a guard for
     * streams that must be small. The elements within the limit pass on first; the one beyond it is not acknowledged.
     *
     * <pre>{@code
     * Source<String> fewRows = Source.from(rows).limit(10_000);
     * }</pre>
     *
     * @param limit at least 0
     */
    @Operator(acks = "what lies beyond the limit is not acknowledged", cost = FREE)
    public Source<T> limit(long limit) {
        return Source.at(ElementStages.limit(node(), limit));
    }

    /**
     * Limits the sum of the elements' weights; see {@link #limit}. An exception of {@code weight}, or a negative
     * weight, goes to the supervision, whose restart resets the sum; exceeding the limit does not.
     *
     * <pre>{@code
     * Source<String> shortRows = Source.from(rows).limitWeighted(1_000_000, String::length);
     * }</pre>
     *
     * @param maxWeight at least 0
     */
    @Operator(acks = "what lies beyond the limit is not acknowledged", cost = FREE)
    public Source<T> limitWeighted(long maxWeight, ToLongFunction<? super T> weight) {
        return Source.at(ElementStages.limitWeighted(node(), maxWeight, Objects.requireNonNull(weight, "weight")));
    }

    /**
     * Pairs each element with its index, from 0.
     *
     * <pre>{@code
     * Source.of("a", "b").zipWithIndex() // (0, a), (1, b)
     * }</pre>
     */
    @Operator(acks = SAME, cost = "an object per element")
    public Source<Indexed<T>> zipWithIndex() {
        return Source.at(ElementStages.zipWithIndex(node()));
    }

    /**
     * Inserts {@code between} between neighbouring elements. Nobody waits for the acknowledgement of {@code between}.
     *
     * <pre>{@code
     * Source.of("a", "b", "c").intersperse(",") // a , b , c
     * }</pre>
     */
    @Operator(acks = "each goes with its element, the injected have none", cost = "a batch per batch")
    public Source<T> intersperse(T between) {
        return Source.at(ElementStages.intersperse(node(), null, Objects.requireNonNull(between, "between"), null));
    }

    /**
     * Emits {@code start} before the first element, {@code between} between neighbouring elements, and {@code end}
     * after the last. Both are emitted even if there are no elements; {@code end} is not emitted after a failure.
     * Nobody waits for the acknowledgements of the three.
     *
     * <pre>{@code
     * Source.of("1", "2").intersperse("[", ",", "]") // [ 1 , 2 ]
     * }</pre>
     */
    @Operator(acks = "each goes with its element, the injected have none", cost = "a batch per batch")
    public Source<T> intersperse(T start, T between, T end) {
        return Source.at(ElementStages.intersperse(
                node(),
                Objects.requireNonNull(start, "start"),
                Objects.requireNonNull(between, "between"),
                Objects.requireNonNull(end, "end")));
    }

    /**
     * Drops each element whose key is among the {@code window} different keys that came last, and acknowledges it at
     * once. A repeated key counts as the latest. Seen keys are forgotten at the end of the run, and at a restart by
     * supervision.
     *
     * <pre>{@code
     * Source.of("a1", "b1", "a2", "c1").deduplicate(s -> s.charAt(0), 1000) // a1, b1, c1
     * }</pre>
     *
     * @param key never null; compared by equals
     * @param window at least 1; number of keys kept, which bounds memory
     */
    @Operator(acks = DROPPED_AT_ONCE, cost = "a hash look-up per element; an entry per key, up to the window")
    public Source<T> deduplicate(Function<? super T, ?> key, int window) {
        return Source.at(ElementStages.deduplicate(node(), Objects.requireNonNull(key, "key"), window));
    }

    /** Drops each element that equals the element right before it; see {@link #dropRepeated(Function)}. */
    @Operator(acks = DROPPED_AT_ONCE, cost = FREE)
    public Source<T> dropRepeated() {
        return dropRepeated(Function.identity());
    }

    /**
     * Drops each element with the same key as the element right before it, and acknowledges it at once.
     *
     * <pre>{@code
     * Source.of(1, 1, 2, 1).dropRepeated() // 1, 2, 1
     * }</pre>
     *
     * @param key never null
     */
    @Operator(acks = DROPPED_AT_ONCE, cost = FREE)
    public Source<T> dropRepeated(Function<? super T, ?> key) {
        return Source.at(ElementStages.dropRepeated(node(), Objects.requireNonNull(key, "key")));
    }

    /**
     * Calls {@code action} with each element before passing it on. If the action throws, the stage's
     * {@link Supervision} decides.
     *
     * <pre>{@code
     * Source.of(1, 2, 3).tap(n -> counter.add(n))
     * }</pre>
     */
    @Operator(acks = SAME, cost = FREE)
    public Source<T> tap(Action<? super T> action) {
        return Source.at(ElementStages.tap(node(), Objects.requireNonNull(action, "action")));
    }

    /** Logs to the logger of this name, at DEBUG; see {@link #log(Logger, Logger.Level)}. */
    @Operator(acks = SAME, cost = "a line per element if the level is on, else none")
    public Source<T> log(String loggerName) {
        return log(System.getLogger(Objects.requireNonNull(loggerName, "loggerName")), Logger.Level.DEBUG);
    }

    /**
     * Logs each element and the end at {@code level}, and a failure from above at ERROR, with the names of pipeline and
     * stage.
     *
     * <pre>{@code
     * source.log(System.getLogger("orders"), Logger.Level.INFO)
     * }</pre>
     */
    @Operator(acks = SAME, cost = "a line per element if the level is on, else none")
    public Source<T> log(Logger logger, Logger.Level level) {
        return Source.at(ElementStages.log(
                node(), Objects.requireNonNull(logger, "logger"), Objects.requireNonNull(level, "level")));
    }
}
