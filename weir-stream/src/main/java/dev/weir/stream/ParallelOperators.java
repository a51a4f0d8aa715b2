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

    /** The number of elements an asynchronous boundary buffers if nothing else is said: {@value}. */
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
     * @param buffer how many elements may wait below it, at least 1; a full buffer halts the stages above, and one
     *     batch more than the buffer may stand in it
     */
    @Operator(acks = SAME, cost = BOUNDARY)
    public Source<T> async(Dispatcher dispatcher, int buffer) {
        if (buffer < 1) {
            throw new IllegalArgumentException("buffer must hold at least 1 element: buffer=" + buffer);
        }
        return Source.at(AsyncBoundary.node(node(), Objects.requireNonNull(dispatcher, "dispatcher"), buffer));
    }

    /** {@link #mapParallel(Parallelism, Handler)} with a fixed number of workers. */
    @Operator(acks = SAME, cost = WORKERS)
    public <R> Source<R> mapParallel(int workers, Handler<? super T, ? extends R> handler) {
        return mapParallel(Parallelism.fixed(workers), handler);
    }

    /**
     * Computes with several threads: each batch is split over the workers, and results leave in the order of the input.
     * For work that computes; work that blocks belongs into {@link #mapBlocking}. Runs on {@link Dispatcher#cpu()},
     * unless {@linkplain Source#with attributes} name another dispatcher.
     *
     * @param workers how many threads may work at once, up to 1024; the dispatcher's size bounds them as well
     */
    @Operator(acks = SAME, cost = WORKERS)
    public <R> Source<R> mapParallel(Parallelism workers, Handler<? super T, ? extends R> handler) {
        return Source.at(ParallelMap.node(
                node(), Objects.requireNonNull(workers, "workers"), Objects.requireNonNull(handler, "handler")));
    }

    /** {@link #mapBlocking(Parallelism, Ordering, Handler)} with a fixed concurrency. */
    @Operator(acks = SAME, cost = LANES)
    public <R> Source<R> mapBlocking(
            int concurrency, Ordering<? super T> ordering, Handler<? super T, ? extends R> handler) {
        return mapBlocking(Parallelism.fixed(concurrency), ordering, handler);
    }

    /**
     * Works on up to {@code concurrency} elements at once, one thread each, which may block. Threads are reused; while
     * handlers are quick, few of them are awake. They are virtual, unless {@linkplain Source#with attributes} name
     * another dispatcher.
     *
     * <ul>
     *   <li>Order by key: elements of a key run one after the other. A key that is slow or stuck holds up no other: the
     *       elements that wait for it have room of their own, for 8 elements per thread and 512 at least. Once that is
     *       full, the next element that has to wait halts the input. An idle key takes no memory.
     *   <li>Completion: when the input has ended and all handlers are done and their results taken.
     *   <li>Failure: a handler that fails fails the stream at once; a failure from above follows the results of the
     *       elements before it.
     *   <li>Cancellation: handlers are interrupted, and waited for.
     *   <li>Acknowledgement: goes with the result.
     *   <li>Demand: elements are taken in while there is room for 8 per thread, 512 at least.
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

    /** {@link #mapAsync(Parallelism, Ordering, Function)} with a fixed parallelism, in the order of the input. */
    @Operator(acks = SAME, cost = "under 100 ns where the future is done at once; no thread")
    public <R> Source<R> mapAsync(
            int parallelism, Function<? super T, ? extends CompletionStage<? extends R>> function) {
        return mapAsync(Parallelism.fixed(parallelism), Ordering.input(), function);
    }

    /**
     * {@link #mapAsync(Parallelism, Ordering, Function)} with a fixed parallelism, each result as soon as it is there.
     */
    @Operator(acks = SAME, cost = "under 100 ns where the future is done at once; no thread")
    public <R> Source<R> mapAsyncUnordered(
            int parallelism, Function<? super T, ? extends CompletionStage<? extends R>> function) {
        return mapAsync(Parallelism.fixed(parallelism), Ordering.unordered(), function);
    }

    /** {@link #mapAsync(Parallelism, Ordering, Function)} with a fixed parallelism. */
    @Operator(acks = SAME, cost = "under 100 ns where the future is done at once; no thread")
    public <R> Source<R> mapAsync(
            int parallelism,
            Ordering<? super T> ordering,
            Function<? super T, ? extends CompletionStage<? extends R>> function) {
        return mapAsync(Parallelism.fixed(parallelism), ordering, function);
    }

    /**
     * Starts an asynchronous computation for each element, up to {@code parallelism} at once, and hands on what they
     * complete with; no thread waits for them. The function is called by one thread of the pipeline at a time and must
     * not block.
     *
     * <p>Ordered by key, the computation of an element starts when that of the one before it of its key is done.
     *
     * <ul>
     *   <li>Completion: when the input has ended and all computations are done and their results taken.
     *   <li>Failure: a computation that fails, or completes with null, and a function that throws, are put to the
     *       supervision; unless that skips the element, the stream fails at once. Retries wait on a virtual thread for
     *       each element, which counts as running meanwhile. A failure from above follows the results of the elements
     *       before it.
     *   <li>Cancellation and failure: futures that run are cancelled; none is waited for.
     *   <li>Acknowledgement: goes with the result.
     *   <li>Demand: elements are taken in while there is room for results, 8 for each that may run and 512 at least; as
     *       many again may wait for elements of their keys.
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
     * As {@link #scan}, for a function that answers later: it is called for an element when the answer for the one
     * before it is there, on a virtual thread, and may block. The emissions are under way as soon as they are made.
     *
     * <ul>
     *   <li>Completion: when the input has ended and the last answer is there.
     *   <li>Failure: an answer that fails, or is null, and a function that throws, are put to the supervision, which
     *       may call again with that element; unless that skips the element, the stream fails at once. A restart goes
     *       on from {@code initial}, without emitting it again. A failure from above follows the emissions before it.
     *   <li>Cancellation: the future that runs is cancelled.
     *   <li>Acknowledgement: each emission carries that of its element; nobody waits for that of {@code initial}.
     *   <li>Demand: up to 512 elements are taken in ahead.
     * </ul>
     *
     * {@snippet :
     * orders.scanAsync(account, (balance, order) -> bank.book(balance, order));
     * }
     *
     * @param initial all runs start with this very object, so nobody may change it
     */
    @Operator(acks = SAME, cost = "a virtual thread, a hand-over per element")
    public <R> Source<R> scanAsync(
            R initial, BiFunction<? super R, ? super T, ? extends CompletionStage<? extends R>> function) {
        return Source.at(ParallelStages.<T, R>scanAsync(
                node(), Objects.requireNonNull(initial, "initial"), Objects.requireNonNull(function, "function")));
    }

    /**
     * As {@link #fold}, for a function that answers later: it is called for an element when the answer for the one
     * before it is there. On a failure or a cancellation nothing is emitted; else as {@link #scanAsync}.
     *
     * <p>The elements are acknowledged together, when the result is, also those before a restart by supervision, which
     * begins with {@code initial} again.
     *
     * {@snippet :
     * parts.foldAsync(upload, (sent, part) -> storage.append(sent, part));
     * }
     *
     * @param initial all runs start with this very object, so nobody may change it
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
