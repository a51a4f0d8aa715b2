package dev.weir.stream;

import dev.weir.stream.internal.boundary.AsyncBoundary;
import dev.weir.stream.internal.chunk.ParallelMap;
import dev.weir.stream.internal.parallel.BlockingWorkers;
import dev.weir.stream.internal.parallel.ParallelStages;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Function;

/** Asynchronous boundaries and stages with threads of their own. Part of {@link Source}. */
abstract class ParallelOperators<T> extends TimeOperators<T> {

    private static final String SAME = "each goes with its element";
    private static final String BOUNDARY = "a thread, a lock per batch, the buffer";
    private static final String WORKERS = "a few ns per element above the function, a chunk at a time";
    private static final String LANES = "a hand-over per element, a thread per running call";

    /** The default buffer of an asynchronous boundary, in elements: {@value}. */
    public static final int DEFAULT_BUFFER = 1024;

    /** Runs everything above on a thread of its own, behind a buffer of {@link #DEFAULT_BUFFER} elements. */
    @Operator(acks = SAME, cost = BOUNDARY)
    public Source<T> async() {
        return async(Dispatcher.virtual(), DEFAULT_BUFFER);
    }

    /**
     * Runs everything above, up to the previous boundary, on a thread of {@code dispatcher}, which is occupied until
     * the pipeline ends.
     *
     * @param buffer number of elements in the buffer, at least 1; a full buffer halts the stages above, and the last
     *     batch may exceed it
     */
    @Operator(acks = SAME, cost = BOUNDARY)
    public Source<T> async(Dispatcher dispatcher, int buffer) {
        if (buffer < 1) {
            throw new IllegalArgumentException("buffer must hold at least 1 element: buffer=" + buffer);
        }
        return Source.at(AsyncBoundary.node(node(), Objects.requireNonNull(dispatcher, "dispatcher"), buffer));
    }

    /** Computes on several threads with a fixed number of workers; see {@link #mapParallel(Parallelism, Handler)}. */
    @Operator(acks = SAME, cost = WORKERS)
    public <R> Source<R> mapParallel(int workers, Handler<? super T, ? extends R> handler) {
        return mapParallel(Parallelism.fixed(workers), handler);
    }

    /**
     * Computes on several threads: splits each batch among the workers and emits results in the order of the input. For
     * CPU-bound work; blocking work belongs in {@link #mapBlocking}. Runs on {@link Dispatcher#cpu()}, unless
     * {@linkplain Source#with attributes} name another dispatcher.
     *
     * @param workers number of threads that may work at once, up to 1024; the dispatcher's size is a limit as well
     */
    @Operator(acks = SAME, cost = WORKERS)
    public <R> Source<R> mapParallel(Parallelism workers, Handler<? super T, ? extends R> handler) {
        return Source.at(ParallelMap.node(
                node(), Objects.requireNonNull(workers, "workers"), Objects.requireNonNull(handler, "handler")));
    }

    /** Calls a blocking handler with a fixed concurrency; see {@link #mapBlocking(Parallelism, Ordering, Handler)}. */
    @Operator(acks = SAME, cost = LANES)
    public <R> Source<R> mapBlocking(
            int concurrency, Ordering<? super T> ordering, Handler<? super T, ? extends R> handler) {
        return mapBlocking(Parallelism.fixed(concurrency), ordering, handler);
    }

    /**
     * Calls a handler that may block on up to {@code concurrency} elements at once, one thread each. Threads are
     * reused; while handlers are quick, few threads are awake. They are virtual, unless
     * {@linkplain Source#with attributes} name another dispatcher.
     *
     * <ul>
     *   <li>Order by key: elements of a key run one after the other. A slow or stuck key does not hold up other keys:
     *       elements that wait for their key have a buffer of their own, 8 per thread and at least 512. Once that is
     *       full, the next element that has to wait halts the input. An idle key takes no memory.
     *   <li>Completion: when the input has ended, all handlers have returned and all results have been taken.
     *   <li>Failure: a failing handler fails the stream at once; a failure from above follows the results of the
     *       elements before it.
     *   <li>Cancellation: handlers are interrupted; the stage waits for them to return.
     *   <li>Acknowledgement: goes with the result.
     *   <li>Demand: elements are taken in up to 8 per thread, at least 512.
     * </ul>
     *
     * @param concurrency up to 100,000
     * @param ordering the order that is kept; see {@link Ordering}
     */
    @Operator(acks = "with the result", cost = "under 100 ns over the handler; a thread for each that blocks")
    public <R> Source<R> mapBlocking(
            Parallelism concurrency, Ordering<? super T> ordering, Handler<? super T, ? extends R> handler) {
        return Source.at(BlockingWorkers.node(
                node(),
                Objects.requireNonNull(concurrency, "concurrency"),
                Objects.requireNonNull(ordering, "ordering"),
                Objects.requireNonNull(handler, "handler")));
    }

    /**
     * Starts asynchronous computations with a fixed parallelism, in the order of the input; see
     * {@link #mapAsync(Parallelism, Ordering, Function)}.
     */
    @Operator(acks = SAME, cost = "under 100 ns where the future is done at once; no thread")
    public <R> Source<R> mapAsync(
            int parallelism, Function<? super T, ? extends CompletionStage<? extends R>> function) {
        return mapAsync(Parallelism.fixed(parallelism), Ordering.input(), function);
    }

    /**
     * Starts asynchronous computations with a fixed parallelism, emitting results as they complete; see
     * {@link #mapAsync(Parallelism, Ordering, Function)}.
     */
    @Operator(acks = SAME, cost = "under 100 ns where the future is done at once; no thread")
    public <R> Source<R> mapAsyncUnordered(
            int parallelism, Function<? super T, ? extends CompletionStage<? extends R>> function) {
        return mapAsync(Parallelism.fixed(parallelism), Ordering.unordered(), function);
    }

    /**
     * Starts asynchronous computations with a fixed parallelism; see
     * {@link #mapAsync(Parallelism, Ordering, Function)}.
     */
    @Operator(acks = SAME, cost = "under 100 ns where the future is done at once; no thread")
    public <R> Source<R> mapAsync(
            int parallelism,
            Ordering<? super T> ordering,
            Function<? super T, ? extends CompletionStage<? extends R>> function) {
        return mapAsync(Parallelism.fixed(parallelism), ordering, function);
    }

    /**
     * Starts an asynchronous computation for each element, up to {@code parallelism} at once, and emits the results. No
     * thread waits for them. The function is called by one thread of the pipeline at a time and must not block.
     *
     * <p>If ordered by key, the computation of an element starts when the previous one of its key is done.
     *
     * <ul>
     *   <li>Completion: when the input has ended, all computations are done and all results have been taken.
     *   <li>Failure: a failed computation, a null result and a throwing function go to the supervision; unless that
     *       skips the element, the stream fails at once. Retries wait on a virtual thread for each element, which
     *       counts as running meanwhile. A failure from above follows the results of the elements before it.
     *   <li>Cancellation and failure: running futures are cancelled; the stage does not wait for them.
     *   <li>Acknowledgement: goes with the result.
     *   <li>Demand: elements are taken in up to 8 per running computation allowed, at least 512; as many again may wait
     *       for earlier elements of their keys.
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
    @Operator(acks = "with the result", cost = "under 100 ns where the future is done at once; no thread")
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
     * Accumulates with an asynchronous function and emits each result, like {@link #scan}. The function is called for
     * an element once the previous result is there, on a virtual thread, and may block. Results are emitted as soon as
     * they are there.
     *
     * <ul>
     *   <li>Completion: when the input has ended and the last result has been taken.
     *   <li>Failure: a failed or null result and a throwing function go to the supervision, which may retry the
     *       element; unless that skips the element, the stream fails at once. A restart continues from {@code initial},
     *       without emitting it again. A failure from above follows the emissions before it.
     *   <li>Cancellation: the running future is cancelled.
     *   <li>Acknowledgement: each emission carries its element's acknowledgement; {@code initial} has none.
     *   <li>Demand: up to 512 elements are taken in ahead.
     * </ul>
     *
     * {@snippet :
     * orders.scanAsync(account, (balance, order) -> bank.book(balance, order));
     * }
     *
     * @param initial shared by all runs, so it must not be modified
     */
    @Operator(acks = SAME, cost = "a virtual thread, a hand-over per element")
    public <R> Source<R> scanAsync(
            R initial, BiFunction<? super R, ? super T, ? extends CompletionStage<? extends R>> function) {
        return Source.at(ParallelStages.<T, R>scanAsync(
                node(), Objects.requireNonNull(initial, "initial"), Objects.requireNonNull(function, "function")));
    }

    /**
     * Combines all elements with an asynchronous function, like {@link #fold}. The function is called for an element
     * once the previous result is there. On a failure or a cancellation nothing is emitted; otherwise as
     * {@link #scanAsync}.
     *
     * <p>All elements are acknowledged together with the result, including those before a restart by supervision, which
     * begins with {@code initial} again.
     *
     * {@snippet :
     * parts.foldAsync(upload, (sent, part) -> storage.append(sent, part));
     * }
     *
     * @param initial shared by all runs, so it must not be modified
     */
    @Operator(
            acks = "all together, with the result",
            cost = "as scanAsync; 16 bytes per acknowledged element, until the end")
    public <R> Source<R> foldAsync(
            R initial, BiFunction<? super R, ? super T, ? extends CompletionStage<? extends R>> function) {
        return Source.at(ParallelStages.<T, R>foldAsync(
                node(), Objects.requireNonNull(initial, "initial"), Objects.requireNonNull(function, "function")));
    }
}
