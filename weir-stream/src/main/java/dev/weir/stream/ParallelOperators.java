package dev.weir.stream;

import dev.weir.stream.internal.boundary.AsyncBoundary;
import dev.weir.stream.internal.parallel.BlockingLanes;
import dev.weir.stream.internal.parallel.ParallelMap;
import java.util.Objects;

/** Asynchronous boundaries and stages with threads of their own. Part of {@link Source}. */
abstract class ParallelOperators<T> extends GroupingOperators<T> {

    /** How many elements an asynchronous boundary buffers if nothing else is said: {@value}. */
    public static final int DEFAULT_BUFFER = 1024;

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
        return Source.at(AsyncBoundary.node(node(), Objects.requireNonNull(dispatcher, "dispatcher"), buffer));
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
        return Source.at(ParallelMap.node(
                node(),
                workers,
                Objects.requireNonNull(dispatcher, "dispatcher"),
                Objects.requireNonNull(handler, "handler")));
    }

    /** {@link #mapBlocking(Parallelism, Ordering, Dispatcher, Handler)} on virtual threads. */
    public <R> Source<R> mapBlocking(
            int concurrency, Ordering<? super T> ordering, Handler<? super T, ? extends R> handler) {
        return mapBlocking(concurrency, ordering, Dispatcher.virtual(), handler);
    }

    /** {@link #mapBlocking(Parallelism, Ordering, Dispatcher, Handler)} on virtual threads. */
    public <R> Source<R> mapBlocking(
            Parallelism concurrency, Ordering<? super T> ordering, Handler<? super T, ? extends R> handler) {
        return mapBlocking(concurrency, ordering, Dispatcher.virtual(), handler);
    }

    /** {@link #mapBlocking(Parallelism, Ordering, Dispatcher, Handler)} with a fixed concurrency. */
    public <R> Source<R> mapBlocking(
            int concurrency,
            Ordering<? super T> ordering,
            Dispatcher dispatcher,
            Handler<? super T, ? extends R> handler) {
        return mapBlocking(Parallelism.fixed(concurrency), ordering, dispatcher, handler);
    }

    /**
     * Works on up to {@code concurrency} elements at once, one thread each, which may block.
     *
     * @param concurrency up to 100,000
     * @param ordering the order that is kept; see {@link Ordering}
     */
    public <R> Source<R> mapBlocking(
            Parallelism concurrency,
            Ordering<? super T> ordering,
            Dispatcher dispatcher,
            Handler<? super T, ? extends R> handler) {
        return Source.at(BlockingLanes.node(
                node(),
                Objects.requireNonNull(concurrency, "concurrency"),
                Objects.requireNonNull(ordering, "ordering"),
                Objects.requireNonNull(dispatcher, "dispatcher"),
                Objects.requireNonNull(handler, "handler")));
    }
}
