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

/** Operators that gather, spread or buffer elements, by count, weight or demand. Part of {@link Source}. */
abstract class GroupingOperators<T> extends ElementOperators<T> {

    /**
     * Gathers elements into lists of {@code count}; the last may be shorter. All members are acknowledged together with
     * their list. The open list is emitted at the end and before a failure of the input; on cancellation its members
     * stay unacknowledged. Pulls until a list is full.
     *
     * {@snippet :
     * Source.of(1, 2, 3, 4, 5).grouped(2); // [1, 2], [3, 4], [5]
     * }
     *
     * @param count at least 1
     */
    @Operator(
            acks = "members together with their list",
            cost = "a list per group, 16 bytes of acknowledgements per element")
    public Source<List<T>> grouped(int count) {
        return Source.at(GroupingStages.grouped(node(), count));
    }

    /**
     * Gathers elements into lists of {@code count}, or of fewer once {@code window} has passed since the list's first
     * element. Otherwise as {@link #grouped}. A due list is emitted when the stage below next pulls, so elements may
     * wait longer above a busy sink.
     *
     * {@snippet :
     * source.groupedWithin(1000, Duration.ofMillis(100)).map(rows -> insert(rows));
     * }
     *
     * @param count at least 1
     * @param window more than 0
     */
    @Operator(acks = "members together with their list", cost = "as grouped, and a look at the clock per batch")
    public Source<List<T>> groupedWithin(int count, Duration window) {
        return Source.at(GroupingStages.groupedWithin(node(), count, window));
    }

    /**
     * Gathers elements into lists of at most {@code maxWeight}; a heavier element gets a list of its own. Otherwise as
     * {@link #grouped}. An exception of {@code weight}, or a negative weight, goes to the stage's supervision; RESTART
     * drops and acknowledges the open list as well.
     *
     * {@snippet :
     * Source.of("aa", "b", "cccc").groupedWeighted(3, String::length); // [aa, b], [cccc]
     * }
     *
     * @param maxWeight at least 1
     */
    @Operator(acks = "members together with their list", cost = "as grouped")
    public Source<List<T>> groupedWeighted(long maxWeight, ToLongFunction<? super T> weight) {
        return Source.at(GroupingStages.groupedWeighted(node(), maxWeight, Objects.requireNonNull(weight, "weight")));
    }

    /**
     * Gathers elements into lists of at most {@code maxWeight}, or of less once {@code window} has passed since the
     * list's first element. Otherwise as {@link #groupedWeighted} and {@link #groupedWithin}.
     *
     * {@snippet :
     * source.groupedWeightedWithin(1_000_000, Duration.ofMillis(50), line -> line.length());
     * }
     *
     * @param maxWeight at least 1
     * @param window more than 0
     */
    @Operator(acks = "members together with their list", cost = "as groupedWithin")
    public Source<List<T>> groupedWeightedWithin(long maxWeight, Duration window, ToLongFunction<? super T> weight) {
        return Source.at(GroupingStages.groupedWeightedWithin(
                node(), maxWeight, window, Objects.requireNonNull(weight, "weight")));
    }

    /**
     * Gathers consecutive elements of the same key into lists of at most {@code max}. A list is emitted as soon as an
     * element of another key arrives. Otherwise as {@link #grouped}. An exception of {@code key} goes to the stage's
     * supervision; RESTART drops and acknowledges the open list as well.
     *
     * {@snippet :
     * Source.of("a1", "a2", "b1", "a3").groupedAdjacentBy(s -> s.charAt(0), 100); // [a1, a2], [b1], [a3]
     * }
     *
     * @param key never null; compared by equals
     * @param max at least 1
     */
    @Operator(acks = "members together with their list", cost = "as grouped")
    public Source<List<T>> groupedAdjacentBy(Function<? super T, ?> key, int max) {
        return Source.at(GroupingStages.groupedAdjacentBy(node(), Objects.requireNonNull(key, "key"), max));
    }

    /**
     * Gathers consecutive elements of the same key into lists of at most {@code max}, or of fewer once {@code window}
     * has passed since the list's first element. Otherwise as {@link #groupedAdjacentBy(Function, int)} and
     * {@link #groupedWithin}.
     *
     * {@snippet :
     * rows.groupedAdjacentBy(row -> row.table(), 1000, Duration.ofMillis(100)).map(group -> insert(group));
     * }
     *
     * @param key never null; compared by equals
     * @param max at least 1
     * @param window more than 0
     */
    @Operator(acks = "members together with their list", cost = "as groupedWithin")
    public Source<List<T>> groupedAdjacentBy(Function<? super T, ?> key, int max, Duration window) {
        return Source.at(GroupingStages.groupedAdjacentBy(node(), Objects.requireNonNull(key, "key"), max, window));
    }

    /**
     * Emits windows of {@code size} elements; each window starts {@code step} elements after the previous one. If
     * {@code step} is greater than {@code size}, the elements in between are dropped. At the end a shorter window holds
     * the elements that were in no window yet. A failure of the input passes on at once, and elements that were in no
     * full window stay unacknowledged.
     *
     * <p>An element is acknowledged once all windows that contain it are, and no later window can contain it. A dropped
     * element is acknowledged at once.
     *
     * {@snippet :
     * Source.of(1, 2, 3, 4).sliding(3, 1); // [1, 2, 3], [2, 3, 4]
     * }
     *
     * @param size at least 1
     * @param step at least 1
     */
    @Operator(
            acks = "after the last window that holds the element",
            cost = "a list and its acknowledgements per window")
    public Source<List<T>> sliding(int size, int step) {
        return Source.at(GroupingStages.sliding(node(), size, step));
    }

    /**
     * Aggregates elements for as long as the stage below is busy, up to {@code max} into one; the stages above run on a
     * thread of their own. Elements of one batch arrive together and are aggregated even if the stage below is waiting.
     * When {@code max} is reached another aggregate begins, and the stages above wait.
     *
     * <p>The elements of an aggregate are acknowledged together with it. The aggregate is emitted at the end and before
     * a failure of the input; on cancellation it stays unacknowledged. An exception of a function goes to the stage's
     * supervision; RESTART drops and acknowledges the open aggregate as well. The functions must not block.
     *
     * {@snippet :
     * source.batch(100, StringBuilder::new, StringBuilder::append).map(text -> write(text));
     * }
     *
     * @param max largest number of elements in an aggregate, at least 1
     * @param seed creates an aggregate from its first element
     * @param aggregate adds an element to it; may change it in place
     */
    @Operator(
            acks = "members together with their aggregate",
            cost = "a thread above; 16 bytes of acknowledgements per element")
    public <A> Source<A> batch(
            long max, Function<? super T, ? extends A> seed, BiFunction<? super A, ? super T, ? extends A> aggregate) {
        return Source.at(GroupingStages.batch(
                node(), max, Objects.requireNonNull(seed, "seed"), Objects.requireNonNull(aggregate, "aggregate")));
    }

    /**
     * Aggregates elements for as long as the stage below is busy, up to a weight. An element heavier than
     * {@code maxWeight} gets an aggregate of its own. Otherwise as {@link #batch}.
     *
     * {@snippet :
     * source.batchWeighted(65_536, String::length, StringBuilder::new, StringBuilder::append);
     * }
     *
     * @param maxWeight at least 1
     */
    @Operator(acks = "members together with their aggregate", cost = "as batch")
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
     * Combines elements into one for as long as the stage below is busy, without a bound, so the stages above never
     * wait. Otherwise as {@link #batch}.
     *
     * {@snippet :
     * prices.conflate((older, newer) -> newer).map(price -> show(price));
     * }
     */
    @Operator(
            acks = "members together with their aggregate",
            cost = "as batch; acknowledgements grow while nobody pulls")
    public Source<T> conflate(BinaryOperator<T> combine) {
        Objects.requireNonNull(combine, "combine");
        return conflateWithSeed(first -> first, combine);
    }

    /**
     * Aggregates elements for as long as the stage below is busy, without a bound, so the stages above never wait. The
     * acknowledgements of all elements are kept until the aggregate is acknowledged: 16 bytes each, if the source waits
     * for them. Otherwise as {@link #batch}.
     *
     * {@snippet :
     * clicks.conflateWithSeed(click -> 1L, (count, click) -> count + 1);
     * }
     */
    @Operator(
            acks = "members together with their aggregate",
            cost = "as batch; acknowledgements grow while nobody pulls")
    public <A> Source<A> conflateWithSeed(
            Function<? super T, ? extends A> seed, BiFunction<? super A, ? super T, ? extends A> aggregate) {
        return Source.at(GroupingStages.conflate(
                node(), Objects.requireNonNull(seed, "seed"), Objects.requireNonNull(aggregate, "aggregate")));
    }

    /**
     * Expands each element into the elements of an iterator, one for each pull, until a newer element arrives. The
     * stages above run on a thread of their own.
     *
     * <p>The first emission carries the element's acknowledgement, the others none. If the iterator is empty, the
     * element is acknowledged at once. Ends with its input; a failure passes on after the elements before it. An
     * exception of {@code expander} or its iterator goes to the stage's supervision: skipping drops the element, or the
     * rest of its iterator.
     *
     * {@snippet :
     * readings.expand(reading -> Stream.iterate(reading, last -> last.older()).iterator());
     * }
     */
    @Operator(
            acks = "with the first; those repeated carry none",
            cost = "a thread above; a batch of one per repetition")
    public <R> Source<R> expand(Function<? super T, ? extends Iterator<? extends R>> expander) {
        return Source.at(GroupingStages.expand(node(), Objects.requireNonNull(expander, "expander")));
    }

    /**
     * Emits each element, then the elements of the iterator that {@code extrapolator} returns for it, one for each
     * pull, until a newer element arrives. Otherwise as {@link #expand}.
     *
     * {@snippet :
     * positions.extrapolate(last -> Collections.nCopies(3, last.guessed()).iterator());
     * }
     */
    @Operator(acks = "with the element; those extrapolated carry none", cost = "as expand")
    public Source<T> extrapolate(Function<? super T, ? extends Iterator<? extends T>> extrapolator) {
        return Source.at(GroupingStages.extrapolate(node(), Objects.requireNonNull(extrapolator, "extrapolator")));
    }

    /**
     * Buffers up to {@code capacity} elements for a slower stage below; the stages above run on a thread of their own
     * and, unless the strategy is {@link OverflowStrategy#BACKPRESSURE}, never wait.
     *
     * <p>A dropped element is acknowledged at once. Elements that the stage below has pulled, up to 512 at once, are no
     * longer in the buffer; if that stage is waiting, a batch from above bypasses the buffer. Elements arrive in
     * batches, so a buffer smaller than a batch drops part of each batch that meets a busy stage. The buffer is emitted
     * at the end and before a failure of the input; on cancellation it stays unacknowledged.
     *
     * {@snippet :
     * ticks.buffer(10_000, OverflowStrategy.DROP_HEAD).map(tick -> slowly(tick));
     * }
     *
     * @param capacity at least 1
     */
    @Operator(acks = "with the element; one that is dropped at once", cost = "a thread above; 32 bytes per element")
    public Source<T> buffer(int capacity, OverflowStrategy strategy) {
        return Source.at(GroupingStages.buffer(node(), capacity, Objects.requireNonNull(strategy, "strategy")));
    }
}
