package dev.weir.stream;

import dev.weir.stream.internal.boundary.AsyncBoundary;
import dev.weir.stream.internal.chunk.ParallelMap;
import dev.weir.stream.internal.parallel.BlockingWorkers;
import dev.weir.stream.internal.parallel.ParallelStages;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Function;

/** Asynchronous boundaries, and stages that have their own threads. Part of {@link Source}. */
abstract class ParallelOperators<T> extends TimeOperators<T> {

    private static final String SAME = "each goes with its element";
    private static final String BOUNDARY = "a thread and a buffer; a lock per batch";
    private static final String WORKERS = "a few ns per element";
    private static final String CALLS = "under 100 ns per element; a thread per blocked call";

    /** The default buffer size of an asynchronous boundary, in elements: {@value}. */
    public static final int DEFAULT_BUFFER = 1024;

    /** Runs all preceding stages on their own thread, with a buffer of {@link #DEFAULT_BUFFER} elements. */
    @Operator(acks = SAME, cost = BOUNDARY)
    public Source<T> async() {
        return async(Dispatcher.virtual(), DEFAULT_BUFFER);
    }

    /**
     * Runs the preceding stages, up to the previous asynchronous boundary, on a thread of {@code dispatcher}. They
     * occupy this thread until the pipeline ends.
     *
     * @param buffer number of elements in the buffer, at least 1. The buffer may exceed this number by up to one batch.
     *     While it is full, the upstream stages wait
     */
    @Operator(acks = SAME, cost = BOUNDARY)
    public Source<T> async(Dispatcher dispatcher, int buffer) {
        if (buffer < 1) {
            throw new IllegalArgumentException("buffer must hold at least 1 element: buffer=" + buffer);
        }
        return Source.at(AsyncBoundary.node(node(), Objects.requireNonNull(dispatcher, "dispatcher"), buffer));
    }

    /**
     * Calls the handler on up to {@code workers} threads. See {@link #mapParallel(Parallelism, Handler)}.
     */
    @Operator(acks = SAME, cost = WORKERS)
    public <R> Source<R> mapParallel(int workers, Handler<? super T, ? extends R> handler) {
        return mapParallel(Parallelism.fixed(workers), handler);
    }

    /**
     * Calls the handler on several threads, and emits the results in input order. Divides each batch among the workers.
     * Suited to CPU-bound work; for blocking work use {@link #mapBlocking}. Runs on {@link Dispatcher#cpu()}, unless
     * {@linkplain Source#with attributes} name another dispatcher.
     *
     * @param workers maximum number of threads that work concurrently, up to 1024; the dispatcher's size also limits
     *     this
     */
    @Operator(acks = SAME, cost = WORKERS)
    public <R> Source<R> mapParallel(Parallelism workers, Handler<? super T, ? extends R> handler) {
        return Source.at(ParallelMap.node(
                node(), Objects.requireNonNull(workers, "workers"), Objects.requireNonNull(handler, "handler")));
    }

    /**
     * Calls a handler, which may block, for one element at a time, in input order. Nothing can raise the parallelism of
     * this stage while it runs, so each call of the handler begins only after the previous call has returned. In all
     * other respects, this method works like {@link #mapBlocking(Parallelism, Ordering, Handler)}.
     */
    @Operator(acks = SAME, cost = CALLS)
    public <R> Source<R> mapBlocking(Handler<? super T, ? extends R> handler) {
        return Source.at(BlockingWorkers.sequential(node(), Objects.requireNonNull(handler, "handler")));
    }

    /**
     * Calls a handler, which may block, for up to {@code concurrency} elements at once. See
     * {@link #mapBlocking(Parallelism, Ordering, Handler)}.
     */
    @Operator(acks = SAME, cost = CALLS)
    public <R> Source<R> mapBlocking(
            int concurrency, Ordering<? super T> ordering, Handler<? super T, ? extends R> handler) {
        return mapBlocking(Parallelism.fixed(concurrency), ordering, handler);
    }

    /**
     * Calls a handler that may block. Processes up to {@code concurrency} elements concurrently, each on its own
     * thread. Threads are reused, and while handlers return quickly, only a few threads are awake. The threads are
     * virtual, unless {@linkplain Source#with attributes} name another dispatcher.
     *
     * <ul>
     *   <li>Order by key: elements with the same key are processed one after the other. A slow or stuck key does not
     *       delay other keys, because elements that wait for an earlier element with the same key are moved to a
     *       separate buffer. This buffer has room for 8 elements per thread, but at least 512. When it is full and
     *       another element would have to wait, the stage stops accepting input. An idle key uses no memory.
     *   <li>Completion: when the input has ended, all handlers have returned, and all results have been emitted.
     *   <li>Failure: if a handler fails, the stream fails immediately. An upstream failure is passed on after the
     *       results of the elements that preceded it.
     *   <li>Cancellation: handlers are interrupted; the stage waits for them to return.
     *   <li>Acknowledgement: each result carries the acknowledgement of its element.
     *   <li>Demand: the stage accepts up to 8 elements per thread, at least 512.
     * </ul>
     *
     * @param concurrency up to 100,000
     * @param ordering the order to preserve; see {@link Ordering}
     */
    @Operator(acks = SAME, cost = CALLS)
    public <R> Source<R> mapBlocking(
            Parallelism concurrency, Ordering<? super T> ordering, Handler<? super T, ? extends R> handler) {
        return Source.at(BlockingWorkers.node(
                node(),
                Objects.requireNonNull(concurrency, "concurrency"),
                Objects.requireNonNull(ordering, "ordering"),
                Objects.requireNonNull(handler, "handler")));
    }

    /**
     * Starts asynchronous computations, and emits their results in input order. See
     * {@link #mapAsync(Parallelism, Ordering, Function)}.
     */
    @Operator(acks = SAME, cost = "no thread; under 100 ns per result that is already complete")
    public <R> Source<R> mapAsync(
            int parallelism, Function<? super T, ? extends CompletionStage<? extends R>> function) {
        return mapAsync(Parallelism.fixed(parallelism), Ordering.input(), function);
    }

    /**
     * Starts asynchronous computations, and emits their results as they complete. See
     * {@link #mapAsync(Parallelism, Ordering, Function)}.
     */
    @Operator(acks = SAME, cost = "no thread; under 100 ns per result that is already complete")
    public <R> Source<R> mapAsyncUnordered(
            int parallelism, Function<? super T, ? extends CompletionStage<? extends R>> function) {
        return mapAsync(Parallelism.fixed(parallelism), Ordering.unordered(), function);
    }

    /**
     * Starts asynchronous computations, up to {@code parallelism} at once. See {@link #mapAsync(Parallelism, Ordering,
     * Function)}.
     */
    @Operator(acks = SAME, cost = "no thread; under 100 ns per result that is already complete")
    public <R> Source<R> mapAsync(
            int parallelism,
            Ordering<? super T> ordering,
            Function<? super T, ? extends CompletionStage<? extends R>> function) {
        return mapAsync(Parallelism.fixed(parallelism), ordering, function);
    }

    /**
     * Starts an asynchronous computation for each element, up to {@code parallelism} at once, and emits the results. No
     * thread is blocked while a computation is running. The function is called by one thread of the pipeline at a time
     * and must not block.
     *
     * <p>If ordered by key, the computation of an element starts when the previous one with the same key is done.
     *
     * <ul>
     *   <li>Completion: when the input has ended, all computations are done, and all results have been emitted.
     *   <li>Failure: if a computation fails or its result is null, or if the function throws, the supervision decides
     *       what happens to the element. If it decides to fail, the stream fails immediately. A retried element waits
     *       for its next attempt on a virtual thread, and still counts as running. An upstream failure is passed on
     *       after the results of the elements that preceded it.
     *   <li>Cancellation and failure: running futures are cancelled; the stage does not wait for them.
     *   <li>Acknowledgement: each result carries the acknowledgement of its element.
     *   <li>Demand: the stage accepts up to 8 elements per allowed computation, at least 512. The same number of
     *       additional elements may be waiting for earlier elements with the same key.
     * </ul>
     *
     * {@snippet :
     * Source.of("a", "b", "c")
     *         .mapAsync(16, Ordering.byKey(name -> name), name -> client.lookUp(name))
     *         .to(Sink.forEach(found -> store(found)));
     * }
     *
     * @param parallelism up to 100,000
     */
    @Operator(acks = SAME, cost = "no thread; under 100 ns per result that is already complete")
    public <R> Source<R> mapAsync(
            Parallelism parallelism,
            Ordering<? super T> ordering,
            Function<? super T, ? extends CompletionStage<? extends R>> function) {
        return Source.at(ParallelStages.mapAsync(
                node(),
                Objects.requireNonNull(parallelism, "parallelism"),
                Objects.requireNonNull(ordering, "ordering"),
                Objects.requireNonNull(function, "function")));
    }

    /**
     * Accumulates elements with an asynchronous function and emits each result, like {@link #scan}. The function is
     * called for an element once the previous result is available. It is called on a virtual thread and may block.
     * Results are emitted as soon as they are available.
     *
     * <ul>
     *   <li>Completion: when the input has ended and the last result has been emitted.
     *   <li>Failure: if a future fails or its result is null, or if the function throws, the supervision decides
     *       what happens to the element, and may retry it. If it decides to fail, the stream fails immediately. A
     *       restart continues from {@code initial}, without emitting it again. An upstream failure is passed on after
     *       the results that preceded it.
     *   <li>Cancellation: the running future is cancelled.
     *   <li>Acknowledgement: each result carries its element's acknowledgement; {@code initial} has none.
     *   <li>Demand: the stage accepts up to 512 elements in advance.
     * </ul>
     *
     * {@snippet :
     * orders.scanAsync(account, (balance, order) -> bank.book(balance, order));
     * }
     *
     * @param initial shared by all runs, so it must not be modified
     */
    @Operator(acks = SAME, cost = "a virtual thread; a hand-over per element")
    public <R> Source<R> scanAsync(
            R initial, BiFunction<? super R, ? super T, ? extends CompletionStage<? extends R>> function) {
        return Source.at(ParallelStages.<T, R>scanAsync(
                node(), Objects.requireNonNull(initial, "initial"), Objects.requireNonNull(function, "function")));
    }

    /**
     * Combines all elements into one result with an asynchronous function, like {@link #fold}. The function is called
     * for an element once the previous result is available. After a failure or a cancellation, nothing is emitted. In
     * all other respects, this method works like {@link #scanAsync}.
     *
     * <p>All elements are acknowledged together with the result. This includes elements combined before a restart by
     * supervision, although the restarted stage starts again from {@code initial}.
     *
     * {@snippet :
     * parts.foldAsync(upload, (sent, part) -> storage.append(sent, part));
     * }
     *
     * @param initial shared by all runs, so it must not be modified
     */
    @Operator(acks = "together with the result", cost = "like `scanAsync`; 16 bytes per element until the end")
    public <R> Source<R> foldAsync(
            R initial, BiFunction<? super R, ? super T, ? extends CompletionStage<? extends R>> function) {
        return Source.at(ParallelStages.<T, R>foldAsync(
                node(), Objects.requireNonNull(initial, "initial"), Objects.requireNonNull(function, "function")));
    }
}
