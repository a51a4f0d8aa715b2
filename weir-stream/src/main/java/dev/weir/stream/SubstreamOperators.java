package dev.weir.stream;

import dev.weir.stream.internal.substream.SubstreamStages;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Operators that run streams inside the stream. Part of {@link Source}.
 *
 * <p>A failure of an inner stream fails the outer stream, unless the inner stream recovers from it. Closing the outer
 * stream closes all inner streams. In counters, all inner streams of a stage share the same stage names.
 *
 * <p>When the pipeline is stopped, the sources of inner streams also end. Only a source over a collection still emits
 * all of its elements. If the stop cuts an inner stream short, the element that created it is not acknowledged and is
 * delivered again in the next run.
 */
abstract class SubstreamOperators<T> extends FanOutOperators<T> {

    /**
     * Replaces each element with the elements of a source. The sources are read one after the other, on this stage's
     * thread.
     *
     * <p>The element is acknowledged when its source has ended and all elements emitted by the source are finished.
     * Elements of the source that have acknowledgements of their own keep them. If {@code function} throws, the stage's
     * supervision decides what happens to the element.
     *
     * {@snippet :
     * files.flatMapConcat(file -> linesOf(file))
     * }
     */
    @Operator(acks = "when all elements of that source are finished", cost = "an inner stream per element")
    public <R> Source<R> flatMapConcat(Function<? super T, Source<R>> function) {
        Objects.requireNonNull(function, "function");
        return Source.at(
                SubstreamStages.flatMapConcat(node(), element -> made("flatMapConcat", function.apply(element))));
    }

    /**
     * Replaces each element with the elements of a source, with up to {@code breadth} sources at once. Each source has
     * its own thread, and the elements are merged in order of arrival. The next element is read when one of the sources
     * has ended. Acknowledgements work as in {@link #flatMapConcat}.
     *
     * {@snippet :
     * sites.flatMapMerge(8, site -> pagesOf(site))
     * }
     *
     * @param breadth at least 1
     */
    @Operator(acks = "when all elements of that source are finished", cost = "an inner stream and a thread per element")
    public <R> Source<R> flatMapMerge(int breadth, Function<? super T, Source<R>> function) {
        Objects.requireNonNull(function, "function");
        return Source.at(SubstreamStages.flatMapMerge(
                node(), breadth, element -> made("flatMapMerge", function.apply(element))));
    }

    /**
     * Replaces each element with the elements of a source, which ends as soon as the next element arrives. If several
     * elements arrive in one batch, only the source of the last one is started.
     *
     * <p>An element is acknowledged when its source has ended or been replaced, and all elements emitted by that source
     * are finished. If a replaced source had elements with acknowledgements of their own that were not emitted yet,
     * those elements are not acknowledged.
     *
     * {@snippet :
     * selections.switchMap(selection -> pricesOf(selection))
     * }
     */
    @Operator(
            acks = "when that source has ended or was replaced, and its elements are finished",
            cost = "an inner stream and a thread per element")
    public <R> Source<R> switchMap(Function<? super T, Source<R>> function) {
        Objects.requireNonNull(function, "function");
        return Source.at(SubstreamStages.switchMap(node(), element -> made("switchMap", function.apply(element))));
    }

    /**
     * Gives the elements of each key their own stream, which ends with the input. See {@link #groupBy(Function, int,
     * Duration, Function)}.
     */
    @Operator(
            acks = "kept with each element",
            cost = "a look-up and a copied reference per element; an inner stream per key")
    public <R> Source<R> groupBy(
            Function<? super T, ?> key, int maxSubstreams, Function<? super Source<T>, Source<R>> function) {
        return groupBy(key, maxSubstreams, Duration.ZERO, function);
    }

    /**
     * Gives the elements of each key their own stream, built by {@code function}, and merges the outputs. Order is
     * preserved within a key.
     *
     * <p>Streams without their own threads run on this stage's thread whenever their key has elements or a timer is
     * due; even a hundred thousand such streams cost only memory. In such a stream, an operator that waits
     * ({@code throttle}, {@code delay}, {@code groupedWithin}) delays only its own key and emits when each wait ends.
     * The stage stops reading while 4,096 elements are queued for such streams. A stream has a thread and buffers of
     * its own if one of its operators has threads (for example an asynchronous boundary or a parallel stage), or if it
     * contains retries after a back-off, {@code flatMapConcat}, {@code prefixAndTail}, {@code recoverWith} or
     * {@code restarted}. If the buffer of such a stream is full (256 elements), all keys wait. To find out which kind
     * of stream {@code function} builds, the stage builds one stream in advance and closes it unused.
     *
     * <p>Elements keep their acknowledgements in the stream of their key. If that stream ends early, for example
     * because of a {@code take}, further elements of the key are acknowledged and dropped. If {@code key} throws or
     * returns null, the supervision decides what happens to the element. When a group has received no element for
     * {@code idleAfter}, its stream ends normally. A later element with the same key starts a new group. If the
     * previous group still holds elements, the new group starts only after the previous one has ended, so that no
     * element overtakes another with the same key.
     *
     * {@snippet :
     * events.groupBy(Event::user, 100_000, Duration.ofMinutes(5), user -> user.scan(0, (n, e) -> n + 1))
     * }
     *
     * @param maxSubstreams maximum number of keys that have a stream at the same time, at least 1; if another key
     *     arrives, the stage fails
     * @param idleAfter idle time after which a group ends; zero keeps groups until the end
     */
    @Operator(
            acks = "kept with each element",
            cost = "a look-up and a copied reference per element; an inner stream per key")
    public <R> Source<R> groupBy(
            Function<? super T, ?> key,
            int maxSubstreams,
            Duration idleAfter,
            Function<? super Source<T>, Source<R>> function) {
        return Source.at(SubstreamStages.groupBy(
                node(), Objects.requireNonNull(key, "key"), maxSubstreams, idleAfter, branch(function)));
    }

    /**
     * Starts a new inner stream before each element that matches {@code predicate}. The function builds each stream;
     * the outputs are emitted one after the other. The first element always starts a stream.
     *
     * <p>Each element keeps its acknowledgement. If an inner stream ends early, for example because of a {@code take},
     * its remaining elements are acknowledged and dropped. If the predicate throws, the supervision decides what
     * happens to the element.
     *
     * {@snippet :
     * lines.splitWhen(line -> line.startsWith("#"), chapter -> chapter.grouped(1000))
     * }
     */
    @Operator(
            acks = "kept with each element",
            cost = "a call and a copied reference per element; an object per inner stream")
    public <R> Source<R> splitWhen(Predicate<? super T> predicate, Function<? super Source<T>, Source<R>> function) {
        return Source.at(
                SubstreamStages.splitWhen(node(), Objects.requireNonNull(predicate, "predicate"), branch(function)));
    }

    /**
     * Ends the current inner stream after each element that matches {@code predicate}. In all other respects, this
     * method works like {@link #splitWhen}.
     *
     * {@snippet :
     * lines.splitAfter(String::isEmpty, paragraph -> paragraph.grouped(1000))
     * }
     */
    @Operator(
            acks = "kept with each element",
            cost = "a call and a copied reference per element; an object per inner stream")
    public <R> Source<R> splitAfter(Predicate<? super T> predicate, Function<? super Source<T>, Source<R>> function) {
        return Source.at(
                SubstreamStages.splitAfter(node(), Objects.requireNonNull(predicate, "predicate"), branch(function)));
    }

    /**
     * Calls {@code function} with a list of the first {@code n} elements and a source of the others. The function
     * returns the resulting stream, and can use the source only once. If the stream has fewer than {@code n} elements,
     * the list is shorter.
     *
     * <p>The remaining elements keep their acknowledgements. The acknowledgements of the first {@code n} elements are
     * held until the resulting stream has ended and all its elements are finished, because any element of the resulting
     * stream may depend on the first {@code n}. If the source is endless and commits in order, use this operator only
     * with {@code n = 0}.
     *
     * {@snippet :
     * lines.prefixAndTail(1, (header, rows) -> rows.map(row -> parse(header.getFirst(), row)))
     * }
     *
     * @param n at least 0
     */
    @Operator(
            acks = "the first `n` elements are acknowledged when all results are finished",
            cost = "nothing per element")
    public <R> Source<R> prefixAndTail(int n, BiFunction<? super List<T>, ? super Source<T>, Source<R>> function) {
        Objects.requireNonNull(function, "function");
        return Source.at(SubstreamStages.prefixAndTail(
                node(), n, (prefix, tail) -> made("prefixAndTail", function.apply(prefix, Source.at(tail)))));
    }
}
