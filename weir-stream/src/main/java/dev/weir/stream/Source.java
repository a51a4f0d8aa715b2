package dev.weir.stream;

import dev.weir.stream.internal.boundary.AsyncBoundary;
import dev.weir.stream.internal.operator.Operators;
import dev.weir.stream.internal.parallel.BlockingLanes;
import dev.weir.stream.internal.parallel.ParallelMap;
import dev.weir.stream.internal.run.Node;
import dev.weir.stream.spi.SourceFactory;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The blueprint of a stream: where elements come from and what is done with them. Immutable and free to share; nothing
 * runs until a {@link Pipeline} made of it does.
 *
 * <p>Operators between two asynchronous boundaries run fused on one thread, batch by batch. Functions given to fused
 * operators are called by one thread at a time and must not block; for work that blocks there is {@link #mapBlocking},
 * for heavy computing {@link #mapParallel}. An exception out of any function fails the pipeline; the element that caused
 * it and all that are unfinished stay unacknowledged.
 *
 * <p>Elements are never null.
 */
public final class Source<T> {

    /** How many elements an asynchronous boundary buffers if nothing else is said: {@value}. */
    public static final int DEFAULT_BUFFER = 1024;

    final Node<T> node;

    private Source(Node<T> node) {
        this.node = node;
    }

    /** A source implemented elsewhere. */
    public static <T> Source<T> custom(String name, SourceFactory<T> factory) {
        return new Source<>(Operators.custom(name, factory));
    }

    /** Emits the elements of an iterable, anew in each run. */
    public static <T> Source<T> from(Iterable<? extends T> elements) {
        return new Source<>(Operators.iterable(Objects.requireNonNull(elements, "elements")));
    }

    /** Emits the given elements. */
    @SafeVarargs
    @SuppressWarnings("varargs") // the copy is only read
    public static <T> Source<T> of(T... elements) {
        return from(Arrays.asList(elements.clone()));
    }

    /** Replaces each element by what {@code function} makes of it. Its acknowledgement goes with it. */
    public <R> Source<R> map(Function<? super T, ? extends R> function) {
        return new Source<>(Operators.map(node, Objects.requireNonNull(function, "function")));
    }

    /** Keeps the elements that {@code keep} accepts; the others are acknowledged at once. */
    public Source<T> filter(Predicate<? super T> keep) {
        return new Source<>(Operators.filter(node, Objects.requireNonNull(keep, "keep")));
    }

    /**
     * Replaces each element by any number of others. It is acknowledged when the last of them is, or at once if there
     * are none. The iterable may be long: it is taken in as demand comes.
     */
    public <R> Source<R> mapConcat(Function<? super T, ? extends Iterable<? extends R>> function) {
        return new Source<>(Operators.mapConcat(node, Objects.requireNonNull(function, "function")));
    }

    /**
     * Gathers elements into lists of {@code groupSize}, the last one perhaps shorter. The members are acknowledged
     * together, when the list is.
     *
     * @param groupSize at least 1
     */
    public Source<List<T>> grouped(int groupSize) {
        return new Source<>(Operators.grouped(node, groupSize));
    }

    /** Lets everything above run on a thread of its own, with a buffer of {@link #DEFAULT_BUFFER} elements below it. */
    public Source<T> async() {
        return async(Dispatcher.virtual(), DEFAULT_BUFFER);
    }

    /**
     * Lets everything above, up to the boundary before, run on a thread of {@code dispatcher}, which it occupies until
     * the pipeline ends.
     *
     * @param buffer how many elements may wait below it, at least 1; a full buffer halts what is above, and one batch
     *     more than the buffer may stand in it
     */
    public Source<T> async(Dispatcher dispatcher, int buffer) {
        if (buffer < 1) {
            throw new IllegalArgumentException("buffer must hold at least 1 element: buffer=" + buffer);
        }
        return new Source<>(AsyncBoundary.node(node, Objects.requireNonNull(dispatcher, "dispatcher"), buffer));
    }

    /** {@link #mapParallel(int, Dispatcher, Handler)} on {@link Dispatcher#cpu()}. */
    public <R> Source<R> mapParallel(int workers, Handler<? super T, ? extends R> handler) {
        return mapParallel(workers, Dispatcher.cpu(), handler);
    }

    /**
     * Computes with several threads: each batch is split over the workers, and results leave in the order of the input.
     * For work that computes; work that blocks belongs into {@link #mapBlocking}.
     *
     * @param workers how many threads may work at once, 1 to 1024; the dispatcher's size bounds them as well
     */
    public <R> Source<R> mapParallel(int workers, Dispatcher dispatcher, Handler<? super T, ? extends R> handler) {
        return new Source<>(ParallelMap.node(
                node,
                workers,
                Objects.requireNonNull(dispatcher, "dispatcher"),
                Objects.requireNonNull(handler, "handler")));
    }

    /** {@link #mapBlocking(int, Ordering, Dispatcher, Handler)} on virtual threads. */
    public <R> Source<R> mapBlocking(
            int concurrency, Ordering<? super T> ordering, Handler<? super T, ? extends R> handler) {
        return mapBlocking(concurrency, ordering, Dispatcher.virtual(), handler);
    }

    /**
     * Works on up to {@code concurrency} elements at once, one thread each, which may block.
     *
     * @param concurrency 1 to 100,000
     * @param ordering the order that is kept; see {@link Ordering}
     */
    public <R> Source<R> mapBlocking(
            int concurrency,
            Ordering<? super T> ordering,
            Dispatcher dispatcher,
            Handler<? super T, ? extends R> handler) {
        return new Source<>(BlockingLanes.node(
                node,
                concurrency,
                Objects.requireNonNull(ordering, "ordering"),
                Objects.requireNonNull(dispatcher, "dispatcher"),
                Objects.requireNonNull(handler, "handler")));
    }

    /** Gives the operator above a name for snapshots and threads. */
    public Source<T> named(String name) {
        return with(Attributes.named(name));
    }

    /** Says more of the operator above: name, dispatcher, buffer, supervision. What it does not heed is ignored. */
    public Source<T> with(Attributes attributes) {
        return new Source<>(node.with(attributes));
    }

    /** Closes the blueprint with a sink. */
    public Pipeline to(Sink<? super T> sink) {
        return sink.close(this);
    }
}
