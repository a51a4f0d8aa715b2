package dev.weir.stream;

import dev.weir.stream.internal.grouping.GroupingStages;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/** Operators that group, expand or buffer elements by count, weight or demand. Part of {@link Source}. */
abstract class GroupingOperators<T> extends ElementOperators<T> {

    /**
     * Groups elements into lists of {@code count}; the last list may be shorter. The members of a list are acknowledged
     * together with it. The stage keeps pulling until a list is full. An incomplete list is emitted at the end of the
     * stream and before an upstream failure is passed on. After a cancellation, its members stay unacknowledged.
     *
     * {@snippet :
     * Source.of(1, 2, 3, 4, 5).grouped(2); // [1, 2], [3, 4], [5]
     * }
     *
     * @param count at least 1
     */
    @Operator(acks = "together with their list", cost = "a list per group; 16 bytes per element")
    public Source<List<T>> grouped(int count) {
        return Source.at(GroupingStages.grouped(node(), count));
    }

    /**
     * Groups elements into lists of {@code count}, or fewer when {@code window} has passed. The window of a list begins
     * when its first element arrives. A list that is due is emitted when the downstream stage next pulls, so elements
     * may wait longer than {@code window} if the sink is busy. In all other respects, this method works like
     * {@link #grouped}.
     *
     * {@snippet :
     * source.groupedWithin(1000, Duration.ofMillis(100)).map(rows -> insert(rows));
     * }
     *
     * @param count at least 1
     * @param window more than 0
     */
    @Operator(acks = "together with their list", cost = "like `grouped`, and a clock reading per batch")
    public Source<List<T>> groupedWithin(int count, Duration window) {
        return Source.at(GroupingStages.groupedWithin(node(), count, window));
    }

    /**
     * Groups elements into lists with a total weight of at most {@code maxWeight}. An element heavier than
     * {@code maxWeight} gets its own list. In all other respects, this method works like {@link #grouped}. If
     * {@code weight} throws or returns a negative number, the stage's supervision decides what happens to the element.
     * {@code RESTART} also drops and acknowledges the incomplete list.
     *
     * {@snippet :
     * Source.of("aa", "b", "cccc").groupedWeighted(3, String::length); // [aa, b], [cccc]
     * }
     *
     * @param maxWeight at least 1
     */
    @Operator(acks = "together with their list", cost = "like `grouped`")
    public Source<List<T>> groupedWeighted(long maxWeight, ToLongFunction<? super T> weight) {
        return Source.at(GroupingStages.groupedWeighted(node(), maxWeight, Objects.requireNonNull(weight, "weight")));
    }

    /**
     * Groups elements into lists with a total weight of at most {@code maxWeight}. A list is emitted earlier, with less
     * weight, when {@code window} has passed since its first element arrived. See {@link #groupedWeighted} for the
     * weights and {@link #groupedWithin} for the window.
     *
     * {@snippet :
     * source.groupedWeightedWithin(1_000_000, Duration.ofMillis(50), line -> line.length());
     * }
     *
     * @param maxWeight at least 1
     * @param window more than 0
     */
    @Operator(acks = "together with their list", cost = "like `groupedWithin`")
    public Source<List<T>> groupedWeightedWithin(long maxWeight, Duration window, ToLongFunction<? super T> weight) {
        return Source.at(GroupingStages.groupedWeightedWithin(
                node(), maxWeight, window, Objects.requireNonNull(weight, "weight")));
    }

    /**
     * Groups consecutive elements with the same key into lists. A list has at most {@code max} elements. A list is
     * emitted as soon as an element with a different key arrives. In all other respects, this method works like
     * {@link #grouped}. If {@code key} throws, the stage's supervision decides what happens to the element.
     * {@code RESTART} also drops and acknowledges the incomplete list.
     *
     * {@snippet :
     * Source.of("a1", "a2", "b1", "a3").groupedAdjacentBy(s -> s.charAt(0), 100); // [a1, a2], [b1], [a3]
     * }
     *
     * @param key returns an element's key, never null; keys are compared by equals
     * @param max at least 1
     */
    @Operator(acks = "together with their list", cost = "like `grouped`")
    public Source<List<T>> groupedAdjacentBy(Function<? super T, ?> key, int max) {
        return Source.at(GroupingStages.groupedAdjacentBy(node(), Objects.requireNonNull(key, "key"), max));
    }

    /**
     * Groups consecutive elements with the same key into lists. A list has at most {@code max} elements. A list is
     * emitted earlier, with fewer elements, when {@code window} has passed since its first element arrived. See
     * {@link #groupedAdjacentBy(Function, int)} for the keys and {@link #groupedWithin} for the window.
     *
     * {@snippet :
     * rows.groupedAdjacentBy(row -> row.table(), 1000, Duration.ofMillis(100)).map(group -> insert(group));
     * }
     *
     * @param key returns an element's key, never null; keys are compared by equals
     * @param max at least 1
     * @param window more than 0
     */
    @Operator(acks = "together with their list", cost = "like `groupedWithin`")
    public Source<List<T>> groupedAdjacentBy(Function<? super T, ?> key, int max, Duration window) {
        return Source.at(GroupingStages.groupedAdjacentBy(node(), Objects.requireNonNull(key, "key"), max, window));
    }

    /**
     * Emits windows of {@code size} elements. Each window starts {@code step} elements after the previous one. If
     * {@code step} is greater than {@code size}, the elements in between are dropped. At the end, elements that have
     * not been in any window are emitted in a shorter window. An upstream failure is passed on immediately, without a
     * shorter window, and elements that have not been in a full window stay unacknowledged.
     *
     * <p>An element is acknowledged once all windows that contain it have been acknowledged and no later window can
     * contain it. A dropped element is acknowledged immediately.
     *
     * {@snippet :
     * Source.of(1, 2, 3, 4).sliding(3, 1); // [1, 2, 3], [2, 3, 4]
     * }
     *
     * @param size at least 1
     * @param step at least 1
     */
    @Operator(
            acks = "when every window that contains the element is acknowledged",
            cost = "a list and its acknowledgements per window")
    public Source<List<T>> sliding(int size, int step) {
        return Source.at(GroupingStages.sliding(node(), size, step));
    }

    /**
     * Aggregates up to {@code max} elements while the downstream stage is busy. The upstream stages run on their own
     * thread. Elements of one batch arrive together, so they are aggregated even if the downstream stage is waiting. A
     * full aggregate is queued, and the upstream stages wait until the downstream stage has pulled it.
     *
     * <p>The elements of an aggregate are acknowledged together with it. The current aggregate is emitted at the end of
     * the stream and before an upstream failure is passed on. After a cancellation, its elements stay unacknowledged.
     * If a function throws, the stage's supervision decides what happens to the element. {@code RESTART} also drops and
     * acknowledges the current aggregate. The functions must not block.
     *
     * {@snippet :
     * source.batch(100, StringBuilder::new, StringBuilder::append).map(text -> write(text));
     * }
     *
     * @param max maximum number of elements in an aggregate, at least 1
     * @param seed creates an aggregate from its first element
     * @param aggregate adds an element to an aggregate; may modify the aggregate in place
     */
    @Operator(acks = "together with their aggregate", cost = "an upstream thread; 16 bytes per element")
    public <A> Source<A> batch(
            long max, Function<? super T, ? extends A> seed, BiFunction<? super A, ? super T, ? extends A> aggregate) {
        return Source.at(GroupingStages.batch(
                node(), max, Objects.requireNonNull(seed, "seed"), Objects.requireNonNull(aggregate, "aggregate")));
    }

    /**
     * Aggregates elements while the downstream stage is busy, up to a total weight of {@code maxWeight}. A heavier
     * element gets its own aggregate. In all other respects, this method works like {@link #batch}.
     *
     * {@snippet :
     * source.batchWeighted(65_536, String::length, StringBuilder::new, StringBuilder::append);
     * }
     *
     * @param maxWeight at least 1
     */
    @Operator(acks = "together with their aggregate", cost = "like `batch`")
    public <A> Source<A> batchWeighted(
            long maxWeight,
            ToLongFunction<? super T> weight,
            Function<? super T, ? extends A> seed,
            BiFunction<? super A, ? super T, ? extends A> aggregate) {
        return Source.at(GroupingStages.batchWeighted(
                node(),
                maxWeight,
                Objects.requireNonNull(weight, "weight"),
                Objects.requireNonNull(seed, "seed"),
                Objects.requireNonNull(aggregate, "aggregate")));
    }

    /**
     * Combines any number of elements into one while the downstream stage is busy. The upstream stages therefore never
     * wait. In all other respects, this method works like {@link #batch}.
     *
     * {@snippet :
     * prices.conflate((older, newer) -> newer).map(price -> show(price));
     * }
     */
    @Operator(acks = "together with their aggregate", cost = "like `batch`; acknowledgements accumulate meanwhile")
    public Source<T> conflate(BinaryOperator<T> combine) {
        Objects.requireNonNull(combine, "combine");
        return conflateWithSeed(first -> first, combine);
    }

    /**
     * Aggregates any number of elements while the downstream stage is busy. The upstream stages therefore never wait.
     * If the source waits for acknowledgements, the acknowledgements of all elements are retained until the aggregate
     * is acknowledged, which takes 16 bytes per element. In all other respects, this method works like {@link #batch}.
     *
     * {@snippet :
     * clicks.conflateWithSeed(click -> 1L, (count, click) -> count + 1);
     * }
     */
    @Operator(acks = "together with their aggregate", cost = "like `batch`; acknowledgements accumulate meanwhile")
    public <A> Source<A> conflateWithSeed(
            Function<? super T, ? extends A> seed, BiFunction<? super A, ? super T, ? extends A> aggregate) {
        return Source.at(GroupingStages.conflate(
                node(), Objects.requireNonNull(seed, "seed"), Objects.requireNonNull(aggregate, "aggregate")));
    }

    /**
     * Replaces each element with the elements of an iterator, one per pull, until a newer element arrives from
     * upstream. The upstream stages run on their own thread.
     *
     * <p>The first emitted element carries the original element's acknowledgement; the others carry none. If the
     * iterator is empty, the original element is acknowledged immediately. The stream ends when the upstream stages
     * end. An upstream failure is passed on after the elements that preceded it. If {@code expander} or its iterator
     * throws, the stage's supervision decides what happens. Skipping drops the element or the rest of its iterator.
     *
     * {@snippet :
     * readings.expand(reading -> Stream.iterate(reading, last -> last.older()).iterator());
     * }
     */
    @Operator(
            acks = "carried by the iterator's first element; the others have none",
            cost = "an upstream thread; a batch per repeated element")
    public <R> Source<R> expand(Function<? super T, ? extends Iterator<? extends R>> expander) {
        return Source.at(GroupingStages.expand(node(), Objects.requireNonNull(expander, "expander")));
    }

    /**
     * Emits each element, followed by the elements of the iterator that {@code extrapolator} returns for it. Emits one
     * of these for each pull, until a newer element arrives. In all other respects, this method works like
     * {@link #expand}.
     *
     * {@snippet :
     * positions.extrapolate(last -> Collections.nCopies(3, last.guessed()).iterator());
     * }
     */
    @Operator(acks = "elements of the iterator have none", cost = "like `expand`")
    public Source<T> extrapolate(Function<? super T, ? extends Iterator<? extends T>> extrapolator) {
        return Source.at(GroupingStages.extrapolate(node(), Objects.requireNonNull(extrapolator, "extrapolator")));
    }

    /**
     * Buffers up to {@code capacity} elements for a slower downstream stage. The upstream stages run on their own
     * thread and never wait, unless the strategy is {@link OverflowStrategy#BACKPRESSURE}.
     *
     * <p>A dropped element is acknowledged immediately. The downstream stage pulls up to 512 elements at a time, and
     * pulled elements are no longer in the buffer. If that stage is waiting, an incoming batch bypasses the buffer.
     * Elements arrive in batches, so a buffer that is smaller than a batch drops part of every batch that arrives while
     * the downstream stage is busy. The buffered elements are emitted at the end of the stream and before an upstream
     * failure is passed on. After a cancellation, they stay unacknowledged.
     *
     * {@snippet :
     * ticks.buffer(10_000, OverflowStrategy.DROP_HEAD).map(tick -> slowly(tick));
     * }
     *
     * @param capacity at least 1
     */
    @Operator(acks = "with the element; one that is dropped at once", cost = "an upstream thread; 32 bytes per element")
    public Source<T> buffer(int capacity, OverflowStrategy strategy) {
        return Source.at(GroupingStages.buffer(node(), capacity, Objects.requireNonNull(strategy, "strategy")));
    }
}
