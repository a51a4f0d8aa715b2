package dev.weir.stream;

import dev.weir.stream.internal.boundary.AsyncBoundary;
import dev.weir.stream.internal.parallel.BlockingLanes;
import dev.weir.stream.internal.parallel.ParallelMap;
import java.util.Objects;

/** Asynchronous boundaries and stages with threads of their own. Part of {@link Source}. */
abstract class ParallelOperators<T> extends TimeOperators<T> {

    private static final String SAME = "each goes with its element";
    private static final String BOUNDARY = "a thread, a lock per batch, the buffer";
    private static final String WORKERS = "a few ns per element above the function, a chunk at a time";
    private static final String LANES = "a hand-over per element, a thread per running call";

    /** How many elements an asynchronous boundary buffers if nothing else is said: {@value}. */
    public static final int DEFAULT_BUFFER = 1024;

    /** Lets everything above run on a thread of its own, with a buffer of {@link #DEFAULT_BUFFER} elements below it. */
    @Operator(acks = SAME, cost = BOUNDARY)
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
    @Operator(acks = SAME, cost = BOUNDARY)
    public Source<T> async(Dispatcher dispatcher, int buffer) {
        if (buffer < 1) {
            throw new IllegalArgumentException("buffer must hold at least 1 element: buffer=" + buffer);
        }
        return Source.at(AsyncBoundary.node(node(), Objects.requireNonNull(dispatcher, "dispatcher"), buffer));
    }

    /** {@link #mapParallel(int, Dispatcher, Handler)} on {@link Dispatcher#cpu()}. */
    @Operator(acks = SAME, cost = WORKERS)
    public <R> Source<R> mapParallel(int workers, Handler<? super T, ? extends R> handler) {
        return mapParallel(workers, Dispatcher.cpu(), handler);
    }

    /**
     * Computes with several threads: each batch is split over the workers, and results leave in the order of the input.
     * For work that computes; work that blocks belongs into {@link #mapBlocking}.
     *
     * @param workers how many threads may work at once, 1 to 1024; the dispatcher's size bounds them as well
     */
    @Operator(acks = SAME, cost = WORKERS)
    public <R> Source<R> mapParallel(int workers, Dispatcher dispatcher, Handler<? super T, ? extends R> handler) {
        return Source.at(ParallelMap.node(
                node(),
                workers,
                Objects.requireNonNull(dispatcher, "dispatcher"),
                Objects.requireNonNull(handler, "handler")));
    }

    /** {@link #mapBlocking(int, Ordering, Dispatcher, Handler)} on virtual threads. */
    @Operator(acks = SAME, cost = LANES)
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
    @Operator(acks = SAME, cost = LANES)
    public <R> Source<R> mapBlocking(
            int concurrency,
            Ordering<? super T> ordering,
            Dispatcher dispatcher,
            Handler<? super T, ? extends R> handler) {
        return Source.at(BlockingLanes.node(
                node(),
                concurrency,
                Objects.requireNonNull(ordering, "ordering"),
                Objects.requireNonNull(dispatcher, "dispatcher"),
                Objects.requireNonNull(handler, "handler")));
    }
}
