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
 * Operators that process one element at a time. Part of {@link Source}.
 *
 * <p>Unless a method says otherwise, elements keep their order, and a batch is pulled only when the downstream stage
 * asks for one. An upstream failure or the end of the stream is passed on immediately. A cancellation loses only
 * elements that the source will deliver again. If a function throws, the stage's {@link Supervision} decides what
 * happens to the element. If it decides to fail the stream, the preceding elements are passed on first.
 */
abstract class ElementOperators<T> {

    private static final String SAME = "each goes with its element";
    private static final String DROPPED_AT_ONCE = "dropped elements at once; the others' go with them";
    private static final String BEYOND_NOT = "other elements are acknowledged only in an inner stream";
    private static final String FREE = "no allocation";

    /** The most recently added stage. */
    abstract BlueprintNode<T> node();

    /** Appends the operators of {@code flow} to this source. */
    @Operator(acks = "as in `flow`", cost = "as in `flow`")
    public <R> Source<R> via(Flow<T, R> flow) {
        return Objects.requireNonNull(flow, "flow").below(Source.at(node()));
    }

    /**
     * Adds a custom operator that processes one element at a time.
     *
     * @param name the operator's name in snapshots
     * @param operators creates an operator for each run; called when the run's first element arrives
     */
    @Operator(acks = "when everything emitted for the element is acknowledged", cost = "an object per element")
    public <R> Source<R> operator(String name, Supplier<? extends ElementOperator<? super T, R>> operators) {
        Objects.requireNonNull(operators, "operators");
        return Source.at(ElementStages.operator(Objects.requireNonNull(name, "name"), node(), operators));
    }

    /**
     * Adds a custom operator that works on batches and implements the full stage protocol. It may hold back elements
     * and their acknowledgements, pull batches in advance, wait, and end the stream. It runs fused, on the same thread
     * as its neighbouring operators. {@link OperatorFactory} lists its obligations. {@link Source#supervised} has no
     * effect on it.
     *
     * @param name the operator's name in snapshots
     */
    @Operator(acks = "implementation-defined", cost = "implementation-defined")
    public <R> Source<R> stage(String name, OperatorFactory<T, R> factory) {
        Objects.requireNonNull(factory, "factory");
        return Source.at(ElementStages.stage(Objects.requireNonNull(name, "name"), node(), factory));
    }

    /**
     * Replaces each element with the result of {@code function}. The result carries the element's acknowledgement.
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
     * Keeps the elements that match {@code keep}. The others are acknowledged immediately.
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
     * Removes the elements that match {@code drop}. They are acknowledged immediately.
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
     * Replaces each element with the result of {@code function}, or drops the element if the result is null. Dropped
     * elements are acknowledged immediately.
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
     * Keeps the elements of one type. The others are acknowledged immediately.
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
     * Replaces each element with any number of other elements. The original element is acknowledged when its last
     * replacement is acknowledged, or immediately if there are no replacements. The iterable is read on demand, so it
     * may be long.
     *
     * <pre>{@code
     * Source.of(1, 2, 3).mapConcat(n -> Collections.nCopies(n, n)) // 1, 2, 2, 3, 3, 3
     * }</pre>
     */
    @Operator(
            acks = "when all its replacements are acknowledged",
            cost = "the iterable's cost; one batch per 512 replacements")
    public <R> Source<R> mapConcat(Function<? super T, ? extends Iterable<? extends R>> function) {
        return Source.at(ElementStages.mapConcat(node(), Objects.requireNonNull(function, "function")));
    }

    /**
     * Replaces each element using a function with mutable state. Works like
     * {@link #statefulMap(Supplier, BiFunction, Function, Action)}, but emits nothing at the end and does not close the
     * state.
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
     * Replaces each element using a function with mutable state. The state belongs to one run and is used by one
     * thread.
     *
     * <p>Each result carries the acknowledgement of the element for which it was returned. If the pipeline fails, the
     * state is lost, and acknowledged elements that contributed to it are not delivered again. {@link #fold} and
     * {@link Source#grouped} avoid this by acknowledging elements only after the result. {@code onComplete} is called
     * only when the stream completes normally, not after a failure or a cancellation. {@code close} is always called
     * exactly once for each state. If supervision restarts the stage, the state is closed and a new one is created.
     *
     * @param create creates the state when it is first needed
     * @param apply returns the result, or null to drop the element and acknowledge it immediately
     * @param onComplete returns an element to emit after the last result, or an empty optional; this element carries no
     *     acknowledgement
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
     * Emits {@code initial} and then one result per element, which {@code function} computes from the previous result
     * and the element. Each result carries its element's acknowledgement; {@code initial} has none. If supervision
     * restarts the stage, it continues from {@code initial} without emitting it again.
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
     * Combines all elements into one result, which is emitted at the end. Without elements, the result is
     * {@code initial}. After a failure or a cancellation nothing is emitted.
     *
     * <p>All elements are acknowledged together, when the result is acknowledged. Until then, each element counts
     * against the source's limit of unacknowledged elements, so use this operator only for finite streams or
     * substreams. If supervision restarts the stage, the elements combined so far are dropped and acknowledged.
     *
     * <pre>{@code
     * Source.of(1, 2, 3).fold(10, Integer::sum) // 16
     * }</pre>
     *
     * @param initial shared by all runs, so it must not be modified
     */
    @Operator(acks = "together with the result", cost = "16 bytes per element until the end")
    public <R> Source<R> fold(R initial, BiFunction<? super R, ? super T, ? extends R> function) {
        return Source.at(ElementStages.fold(
                node(), Objects.requireNonNull(initial, "initial"), Objects.requireNonNull(function, "function")));
    }

    /**
     * Combines all elements into one, like {@link #fold} with the first element as the initial value. Emits nothing if
     * there are no elements.
     *
     * <pre>{@code
     * Source.of(3, 1, 2).reduce(Integer::max) // 3
     * }</pre>
     */
    @Operator(acks = "together with the result", cost = "16 bytes per element until the end")
    public Source<T> reduce(BiFunction<? super T, ? super T, ? extends T> function) {
        return Source.at(ElementStages.reduce(node(), Objects.requireNonNull(function, "function")));
    }

    /**
     * Emits the first {@code count} elements. Then ends the stream and closes the upstream stages immediately.
     *
     * <p>Surplus elements, which arrived in the same batch as the last one or are still inside the upstream stages, are
     * not acknowledged. They were not processed, so a source that waits for acknowledgements delivers them again in the
     * next run. The streams of {@link Source#groupBy} and {@link Source#splitWhen}, and a branch that ends before the
     * others, are different: the rest of the pipeline continues, and an element that is never acknowledged would hold
     * back all later commits. Such streams therefore acknowledge the surplus elements of the last batch and of their
     * own buffers, groups, parallel stages and nested substreams. An element that a handler is processing is
     * acknowledged when the handler returns.
     *
     * <pre>{@code
     * Source.repeat("x").take(3) // x, x, x
     * }</pre>
     *
     * @param count at least 0; if it is 0, no element is requested
     */
    @Operator(acks = BEYOND_NOT, cost = FREE)
    public Source<T> take(long count) {
        return Source.at(ElementStages.take(node(), count));
    }

    /**
     * Emits elements until one does not match {@code predicate}. That element is not emitted. See
     * {@link #takeWhile(Predicate, boolean)}.
     */
    @Operator(acks = BEYOND_NOT, cost = FREE)
    public Source<T> takeWhile(Predicate<? super T> predicate) {
        return takeWhile(predicate, false);
    }

    /**
     * Emits elements until one does not match {@code predicate}. Then ends the stream and closes the upstream stages
     * immediately. As with {@link #take}, elements after the end are not acknowledged. The element that did not match
     * is not acknowledged either, unless {@code inclusive} is true.
     *
     * <pre>{@code
     * Source.of(1, 2, 3, 1).takeWhile(n -> n < 3)       // 1, 2
     * Source.of(1, 2, 3, 1).takeWhile(n -> n < 3, true) // 1, 2, 3
     * }</pre>
     *
     * @param inclusive whether the element that did not match is emitted as the last one
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
     * Drops and acknowledges elements until one does not match {@code predicate}. That element and all later ones are
     * emitted. If supervision restarts the stage, it starts dropping again.
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
     * Emits up to {@code limit} elements, and fails with a {@link LimitExceededException} if there are more. Use it to
     * guard against streams that are unexpectedly long. The elements within the limit are emitted first; the one that
     * exceeds it is not acknowledged.
     *
     * <pre>{@code
     * Source<String> fewRows = Source.from(rows).limit(10_000);
     * }</pre>
     *
     * @param limit at least 0
     */
    @Operator(acks = "never for elements beyond the limit", cost = FREE)
    public Source<T> limit(long limit) {
        return Source.at(ElementStages.limit(node(), limit));
    }

    /**
     * Fails with a {@link LimitExceededException} if the total weight of the elements exceeds {@code maxWeight}. In all
     * other respects, this method works like {@link #limit}. If {@code weight} throws or returns a negative number, the
     * supervision decides what happens to the element. A restart resets the sum. Supervision does not apply when the
     * limit is exceeded.
     *
     * <pre>{@code
     * Source<String> shortRows = Source.from(rows).limitWeighted(1_000_000, String::length);
     * }</pre>
     *
     * @param maxWeight at least 0
     */
    @Operator(acks = "never for elements beyond the limit", cost = FREE)
    public Source<T> limitWeighted(long maxWeight, ToLongFunction<? super T> weight) {
        return Source.at(ElementStages.limitWeighted(node(), maxWeight, Objects.requireNonNull(weight, "weight")));
    }

    /**
     * Pairs each element with its index, starting at 0.
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
     * Inserts {@code between} between adjacent elements. Inserted elements carry no acknowledgement.
     *
     * <pre>{@code
     * Source.of("a", "b", "c").intersperse(",") // a , b , c
     * }</pre>
     */
    @Operator(acks = "inserted elements have none", cost = "a new batch per input batch")
    public Source<T> intersperse(T between) {
        return Source.at(ElementStages.intersperse(node(), null, Objects.requireNonNull(between, "between"), null));
    }

    /**
     * Emits {@code start} before the first element, {@code between} between adjacent elements, and {@code end} after
     * the last. The elements {@code start} and {@code end} are emitted even if there are no others; {@code end} is not
     * emitted after a failure. These inserted elements carry no acknowledgement.
     *
     * <pre>{@code
     * Source.of("1", "2").intersperse("[", ",", "]") // [ 1 , 2 ]
     * }</pre>
     */
    @Operator(acks = "inserted elements have none", cost = "a new batch per input batch")
    public Source<T> intersperse(T start, T between, T end) {
        return Source.at(ElementStages.intersperse(
                node(),
                Objects.requireNonNull(start, "start"),
                Objects.requireNonNull(between, "between"),
                Objects.requireNonNull(end, "end")));
    }

    /**
     * Drops an element if its key is one of the {@code window} most recently seen distinct keys. A dropped element is
     * acknowledged immediately. A repeated key becomes the most recent one. The keys are forgotten at the end of the
     * run and when supervision restarts the stage.
     *
     * <pre>{@code
     * Source.of("a1", "b1", "a2", "c1").deduplicate(s -> s.charAt(0), 1000) // a1, b1, c1
     * }</pre>
     *
     * @param key returns an element's key, never null; keys are compared by equals
     * @param window number of keys to remember, at least 1; this limits memory use
     */
    @Operator(acks = DROPPED_AT_ONCE, cost = "a look-up per element; an entry per key in the window")
    public Source<T> deduplicate(Function<? super T, ?> key, int window) {
        return Source.at(ElementStages.deduplicate(node(), Objects.requireNonNull(key, "key"), window));
    }

    /** Drops each element that equals the element before it. See {@link #dropRepeated(Function)}. */
    @Operator(acks = DROPPED_AT_ONCE, cost = FREE)
    public Source<T> dropRepeated() {
        return dropRepeated(Function.identity());
    }

    /**
     * Drops each element with the same key as the element before it. A dropped element is acknowledged immediately.
     *
     * <pre>{@code
     * Source.of(1, 1, 2, 1).dropRepeated() // 1, 2, 1
     * }</pre>
     *
     * @param key returns an element's key, never null
     */
    @Operator(acks = DROPPED_AT_ONCE, cost = FREE)
    public Source<T> dropRepeated(Function<? super T, ?> key) {
        return Source.at(ElementStages.dropRepeated(node(), Objects.requireNonNull(key, "key")));
    }

    /**
     * Calls {@code action} with each element before passing the element on. If the action throws, the stage's
     * {@link Supervision} decides what happens to the element.
     *
     * <pre>{@code
     * Source.of(1, 2, 3).tap(n -> counter.add(n))
     * }</pre>
     */
    @Operator(acks = SAME, cost = FREE)
    public Source<T> tap(Action<? super T> action) {
        return Source.at(ElementStages.tap(node(), Objects.requireNonNull(action, "action")));
    }

    /** Logs each element at DEBUG to the logger with this name. See {@link #log(Logger, Logger.Level)}. */
    @Operator(acks = SAME, cost = "a log line per element if the level is enabled")
    public Source<T> log(String loggerName) {
        return log(System.getLogger(Objects.requireNonNull(loggerName, "loggerName")), Logger.Level.DEBUG);
    }

    /**
     * Logs each element and the end of the stream at {@code level}, and a failure at ERROR. Each message includes the
     * names of the pipeline and the stage.
     *
     * <pre>{@code
     * source.log(System.getLogger("orders"), Logger.Level.INFO)
     * }</pre>
     */
    @Operator(acks = SAME, cost = "a log line per element if the level is enabled")
    public Source<T> log(Logger logger, Logger.Level level) {
        return Source.at(ElementStages.log(
                node(), Objects.requireNonNull(logger, "logger"), Objects.requireNonNull(level, "level")));
    }
}
