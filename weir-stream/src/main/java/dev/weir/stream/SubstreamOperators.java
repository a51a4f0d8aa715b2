package dev.weir.stream;

import dev.weir.stream.internal.substream.SubstreamStages;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Operators that run streams within the stream. Part of {@link Source}.
 *
 * <p>A failure of an inner stream fails the outer stream, unless the inner stream recovers from it. Closing the outer
 * stream closes all inner streams. All inner streams of a stage count under the same stage names.
 *
 * <p>A stop of the pipeline also ends the sources of inner streams, except collections, which are emitted to their end.
 * If a stop cut an inner stream short, the element it was made from is not acknowledged and is delivered again in the
 * next run.
 */
abstract class SubstreamOperators<T> extends FanOutOperators<T> {

    /**
     * Replaces each element by the elements of a source, one source after the other, pulled by the thread of this
     * stage.
     *
     * <p>The element is acknowledged when its source has ended and all emitted elements are finished. Elements of the
     * source that carry their own acknowledgement keep it as well. An element for which {@code function} throws goes to
     * the supervision.
     *
     * {@snippet :
     * files.flatMapConcat(file -> linesOf(file))
     * }
     */
    @Operator(acks = "when its source has ended and all that came of it is finished", cost = "a stream per element")
    public <R> Source<R> flatMapConcat(Function<? super T, Source<R>> function) {
        Objects.requireNonNull(function, "function");
        return Source.at(
                SubstreamStages.flatMapConcat(node(), element -> made("flatMapConcat", function.apply(element))));
    }

    /**
     * Replaces each element by the elements of a source; up to {@code breadth} sources run at once, each on a thread of
     * its own, and their elements are merged in order of arrival. The next element is read when one of the sources has
     * ended. Acknowledgements as in {@link #flatMapConcat}.
     *
     * {@snippet :
     * sites.flatMapMerge(8, site -> pagesOf(site))
     * }
     *
     * @param breadth at least 1
     */
    @Operator(
            acks = "when its source has ended and all that came of it is finished",
            cost = "a stream and a segment per element")
    public <R> Source<R> flatMapMerge(int breadth, Function<? super T, Source<R>> function) {
        Objects.requireNonNull(function, "function");
        return Source.at(SubstreamStages.flatMapMerge(
                node(), breadth, element -> made("flatMapMerge", function.apply(element))));
    }

    /**
     * Replaces each element by the elements of a source, which ends as soon as the next element arrives. If several
     * elements arrive in one batch, only the last starts its source.
     *
     * <p>An element is acknowledged when its source has ended or was replaced, and the elements emitted by then are
     * finished. Elements of a replaced source that carry an acknowledgement of their own and were not emitted yet are
     * not acknowledged.
     *
     * {@snippet :
     * selections.switchMap(selection -> pricesOf(selection))
     * }
     */
    @Operator(
            acks = "when its source has ended or was replaced and all that came of it is finished",
            cost = "a stream and a segment per element")
    public <R> Source<R> switchMap(Function<? super T, Source<R>> function) {
        Objects.requireNonNull(function, "function");
        return Source.at(SubstreamStages.switchMap(node(), element -> made("switchMap", function.apply(element))));
    }

    /** Gives each key a stream that stays until the end; see {@link #groupBy(Function, int, Duration, Function)}. */
    @Operator(acks = "kept with each element", cost = "a lookup and a move per element; a stream per key")
    public <R> Source<R> groupBy(
            Function<? super T, ?> key, int maxSubstreams, Function<? super Source<T>, Source<R>> function) {
        return groupBy(key, maxSubstreams, Duration.ZERO, function);
    }

    /**
     * Gives the elements of each key a stream of their own, built by {@code function}, and merges the outputs. The
     * order is kept within a key.
     *
     * <p>Streams without threads of their own run on the thread of this stage, when their key has elements or a timer
     * is due: a hundred thousand of them cost only memory. An operator that waits ({@code throttle}, {@code delay},
     * {@code groupedWithin}) delays only its own key and emits when each wait ends. While 4,096 elements wait for such
     * streams, nothing more is read. Streams with threads of their own (an asynchronous boundary, a parallel stage),
     * and those with retries after a back-off, {@code flatMapConcat}, {@code prefixAndTail}, {@code recoverWith} or
     * {@code restarted}, each have a segment and buffers, and a full buffer (256 elements) of one key halts all keys.
     * One stream is built in advance to find out which kind it is, and closed without an element.
     *
     * <p>Acknowledgements go with the elements through the stream of their key. When that ends by itself (a
     * {@code take}), further elements of the key are acknowledged and dropped. An element for which {@code key} throws
     * or returns null goes to the supervision. After {@code idleAfter} without an element a group ends as at the end of
     * the stream; a later element of its key begins a new group. If the previous group still holds elements, the new
     * one starts after it, so that no element overtakes another one of its key.
     *
     * {@snippet :
     * events.groupBy(Event::user, 100_000, Duration.ofMinutes(5), user -> user.scan(0, (n, e) -> n + 1))
     * }
     *
     * @param maxSubstreams largest number of keys with a stream at once, at least 1; one more key fails the stage
     * @param idleAfter zero to keep groups until the end
     */
    @Operator(
            acks = "kept with each element",
            cost =
                    "a lookup and a move per element; a stream per key, with segments only if it has asynchronous stages")
    public <R> Source<R> groupBy(
            Function<? super T, ?> key,
            int maxSubstreams,
            Duration idleAfter,
            Function<? super Source<T>, Source<R>> function) {
        return Source.at(SubstreamStages.groupBy(
                node(), Objects.requireNonNull(key, "key"), maxSubstreams, idleAfter, branch(function)));
    }

    /**
     * Begins a new stream before each element that {@code predicate} accepts. {@code function} builds each stream; the
     * outputs follow one another. The first element always begins a stream.
     *
     * <p>Acknowledgements go with the elements. When the stream of a section ends by itself (a {@code take}), the rest
     * of the section is acknowledged and dropped. An element for which the predicate throws goes to the supervision.
     *
     * {@snippet :
     * lines.splitWhen(line -> line.startsWith("#"), chapter -> chapter.grouped(1000))
     * }
     */
    @Operator(acks = "kept with each element", cost = "a call and a move per element, a stream per section")
    public <R> Source<R> splitWhen(Predicate<? super T> predicate, Function<? super Source<T>, Source<R>> function) {
        return Source.at(
                SubstreamStages.splitWhen(node(), Objects.requireNonNull(predicate, "predicate"), branch(function)));
    }

    /**
     * Ends a stream after each element that {@code predicate} accepts; otherwise as {@link #splitWhen}.
     *
     * {@snippet :
     * lines.splitAfter(String::isEmpty, paragraph -> paragraph.grouped(1000))
     * }
     */
    @Operator(acks = "kept with each element", cost = "a call and a move per element, a stream per section")
    public <R> Source<R> splitAfter(Predicate<? super T> predicate, Function<? super Source<T>, Source<R>> function) {
        return Source.at(
                SubstreamStages.splitAfter(node(), Objects.requireNonNull(predicate, "predicate"), branch(function)));
    }

    /**
     * Passes the first {@code n} elements as a list, and the rest as a source for one use, to {@code function}, which
     * returns the resulting stream. If the stream ends earlier, the list is shorter.
     *
     * <p>Acknowledgements of the rest go with the elements. The prefix's acknowledgements are held until the resulting
     * stream has ended and all its elements are finished, because any of them may depend on the prefix. With an endless
     * source that commits in order, use it only for {@code n = 0}.
     *
     * {@snippet :
     * lines.prefixAndTail(1, (header, rows) -> rows.map(row -> parse(header.getFirst(), row)))
     * }
     *
     * @param n at least 0
     */
    @Operator(
            acks = "of the prefix, when all is finished; of the rest, kept with each element",
            cost = "nothing per element")
    public <R> Source<R> prefixAndTail(int n, BiFunction<? super List<T>, ? super Source<T>, Source<R>> function) {
        Objects.requireNonNull(function, "function");
        return Source.at(SubstreamStages.prefixAndTail(
                node(), n, (prefix, tail) -> made("prefixAndTail", function.apply(prefix, Source.at(tail)))));
    }
}
