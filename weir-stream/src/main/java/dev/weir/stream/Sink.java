package dev.weir.stream;

import dev.weir.stream.internal.interop.ReactiveInterop;
import dev.weir.stream.internal.operator.ElementStages;
import dev.weir.stream.internal.run.StageAttributes;
import dev.weir.stream.internal.sink.ResultLoops;
import dev.weir.stream.spi.SinkFactory;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collector;
import java.util.stream.Collectors;

/**
 * The end of a pipeline's blueprint. Immutable, so it can be used in any number of pipelines; each run pulls elements
 * in a loop of its own.
 */
public sealed interface Sink<T> permits Sink.Loop, Sink.Lower, ResultSink {

    /** Creates a custom sink. The sink must acknowledge each element that it has finished. */
    @Operator(acks = "implementation-defined", cost = "implementation-defined")
    static <T> Loop<T> custom(String name, SinkFactory<T> factory) {
        return new Loop<>(Attributes.named(name), factory);
    }

    /**
     * Calls {@code action}, which may block, with each element, in order and on one thread. Acknowledges each element
     * when the action returns. If the action takes only a few microseconds, up to 16 elements are acknowledged
     * together. If the action throws, the pipeline fails and the element is not acknowledged.
     */
    @Operator(acks = "when `action` has returned", cost = "`action`'s cost")
    static <T> Loop<T> forEach(Action<? super T> action) {
        Objects.requireNonNull(action, "action");
        return custom("forEach", ElementStages.forEach(action));
    }

    /** Acknowledges and discards each element. */
    @Operator(acks = "at once", cost = "constant per batch")
    static <T> Loop<T> ignore() {
        return custom("ignore", ElementStages.ignore());
    }

    /** Closes the upstream stages without requesting an element. */
    @Operator(acks = "none", cost = "none")
    static <T> Loop<T> cancelled() {
        return custom("cancelled", context -> upstream -> {});
    }

    /**
     * Calls {@code action}, which may block, for up to {@code concurrency} elements at once, in no particular order.
     * See {@link #forEachBlocking(int, Ordering, Action)}.
     */
    @Operator(acks = "when `action` has returned", cost = "a virtual thread per worker; a hand-over per element")
    static <T> Sink<T> forEachBlocking(int concurrency, Action<? super T> action) {
        return forEachBlocking(concurrency, Ordering.unordered(), action);
    }

    /**
     * Calls {@code action}, which may block, for up to {@code concurrency} elements at once, each on a virtual thread.
     * An element is acknowledged when the action has returned. If the action throws, the pipeline fails.
     *
     * {@snippet :
     * orders.to(Sink.forEachBlocking(64, RecordOrdering.byKey(), order -> database.store(order))).run()
     * }
     *
     * @param concurrency 1 to 100,000
     * @param ordering determines which elements wait for each other, as in {@link Source#mapBlocking}
     */
    @Operator(acks = "when `action` has returned", cost = "a virtual thread per worker; a hand-over per element")
    static <T> Sink<T> forEachBlocking(int concurrency, Ordering<? super T> ordering, Action<? super T> action) {
        Objects.requireNonNull(ordering, "ordering");
        Objects.requireNonNull(action, "action");
        return through(source -> source.mapBlocking(concurrency, ordering, element -> {
                    action.accept(element);
                    return element;
                })
                .named("forEachBlocking")
                .to(ignore()));
    }

    /**
     * Calls an asynchronous {@code function} for up to {@code parallelism} elements at once, in no particular order. An
     * element is acknowledged when its completion stage completes with any value. If a completion stage fails, the
     * pipeline fails.
     *
     * {@snippet :
     * orders.to(Sink.forEachAsync(100, order -> store.putAsync(order))).run()
     * }
     *
     * @param parallelism 1 to 100,000
     */
    @Operator(
            acks = "when the returned `CompletionStage` has completed",
            cost = "an object and a thread hand-over per element")
    static <T> Sink<T> forEachAsync(int parallelism, Function<? super T, ? extends CompletionStage<?>> function) {
        Objects.requireNonNull(function, "function");
        return through(source -> source.mapAsyncUnordered(
                        parallelism,
                        element -> Objects.requireNonNull(
                                        function.apply(element), "the function of forEachAsync returned null")
                                .thenApply(ignored -> element))
                .named("forEachAsync")
                .to(ignore()));
    }

    /**
     * Hands the elements to another thread, which takes them at its own pace. See {@link SinkQueue}, which also
     * describes acknowledgements.
     *
     * @param queue can be used for one run only
     */
    @Operator(
            acks = "when that thread requests the next element",
            cost = "a lock per element; a thread wake-up per batch")
    static <T> Loop<T> queue(SinkQueue<T> queue) {
        Objects.requireNonNull(queue, "queue");
        return custom("queue", queue::attach);
    }

    /** Collects the elements into a list, in order. The method {@link Source#toList} is shorthand for this. */
    @Operator(acks = ResultSink.ACKS, cost = "a reference per element")
    static <T> ResultSink<T, List<T>> toList() {
        return ResultSink.of("toList", ResultLoops.collect(Collectors.<T>toList()));
    }

    /** Combines the elements with {@code collector}. Uses a single thread and a single result container. */
    @Operator(acks = ResultSink.ACKS, cost = "`collector`'s cost")
    static <T, R> ResultSink<T, R> collect(Collector<? super T, ?, ? extends R> collector) {
        return ResultSink.of("collect", ResultLoops.collect(Objects.requireNonNull(collector, "collector")));
    }

    /**
     * Combines the elements into one value. The function combines {@code initial} with the first element, then the
     * result with the second element, and so on.
     *
     * @param initial the result if there are no elements; shared by all runs, so it must not be modified
     */
    @Operator(acks = ResultSink.ACKS, cost = "`function`'s cost")
    static <T, R> ResultSink<T, R> fold(R initial, BiFunction<? super R, ? super T, ? extends R> function) {
        Objects.requireNonNull(initial, "initial");
        Objects.requireNonNull(function, "function");
        return ResultSink.of("fold", ResultLoops.fold(() -> initial, function, Function.identity()));
    }

    /**
     * Combines the elements into one value. The function combines the first element with the second, then the result
     * with the third, and so on. The result is empty if there are no elements.
     */
    @Operator(acks = ResultSink.ACKS, cost = "an object per element")
    static <T> ResultSink<T, Optional<T>> reduce(BiFunction<? super T, ? super T, ? extends T> function) {
        return ResultSink.of("reduce", ResultLoops.reduce(Objects.requireNonNull(function, "function")));
    }

    /** Counts the elements. */
    @Operator(acks = ResultSink.ACKS, cost = "constant per batch")
    static <T> ResultSink<T, Long> count() {
        return ResultSink.of("count", ResultLoops.count());
    }

    /** Returns the first element and requests no more. Fails with a NoSuchElementException if there is none. */
    @Operator(acks = "for the first element only", cost = "one batch")
    static <T> ResultSink<T, T> head() {
        return ResultSink.of("head", ResultLoops.orElseThrow(ResultLoops.head()));
    }

    /** Returns the first element, if there is one, and requests no more. */
    @Operator(acks = "for the first element only", cost = "one batch")
    static <T> ResultSink<T, Optional<T>> headOption() {
        return ResultSink.of("headOption", ResultLoops.head());
    }

    /** Returns the last element. Fails with a NoSuchElementException if there is none. */
    @Operator(acks = ResultSink.ACKS, cost = "constant per batch")
    static <T> ResultSink<T, T> last() {
        return ResultSink.of("last", ResultLoops.orElseThrow(ResultLoops.last()));
    }

    /** Returns the last element, if there is one. */
    @Operator(acks = ResultSink.ACKS, cost = "constant per batch")
    static <T> ResultSink<T, Optional<T>> lastOption() {
        return ResultSink.of("lastOption", ResultLoops.last());
    }

    /**
     * Collects the last {@code count} elements in order. Collects all elements if there are fewer.
     *
     * {@snippet :
     * List<String> tail() throws InterruptedException {
     *     return lines.runTo(Sink.takeLast(10));
     * }
     * }
     *
     * @param count at least 1
     */
    @Operator(acks = ResultSink.ACKS, cost = "a reference per retained element")
    static <T> ResultSink<T, List<T>> takeLast(int count) {
        if (count < 1) {
            throw new IllegalArgumentException("count must be at least 1: count=" + count);
        }
        return ResultSink.of("takeLast", ResultLoops.lastOf(count));
    }

    /**
     * Passes each element to {@code subscriber} when the subscriber requests it. See {@link Source#asPublisher}.
     * Intended for callers that need the {@link RunningPipeline}. {@code onSubscribe} is called by the thread that
     * starts the pipeline. A subscriber can be used for one run only.
     *
     * {@snippet :
     * RunningPipeline running = orders.to(Sink.toSubscriber(subscriber)).run();
     * }
     */
    @Operator(acks = "when `onNext` has returned", cost = "a call per element")
    static <T> Loop<T> toSubscriber(Flow.Subscriber<? super T> subscriber) {
        return custom("subscriber", ReactiveInterop.toSubscriber(Objects.requireNonNull(subscriber, "subscriber")));
    }

    /** Combines operators and the sink that follows them into one sink. */
    @Operator(acks = "as in these parts", cost = "as in these parts")
    static <T> Sink<T> through(Function<Source<T>, Pipeline> lower) {
        return new Lower<>(Objects.requireNonNull(lower, "lower"));
    }

    /**
     * Combines operators and the {@code sink} that follows them into one sink, with the result of {@code sink}.
     *
     * {@snippet :
     * ResultSink<Order, Optional<Order>> firstLarge =
     *         Sink.through(orders -> orders.filter(Order::isLarge), Sink.headOption());
     * }
     */
    @Operator(acks = "as in these parts", cost = "as in these parts")
    static <T, U, R> ResultSink<T, R> through(
            Function<? super Source<T>, Source<U>> operators, ResultSink<? super U, R> sink) {
        return sink.below(Objects.requireNonNull(operators, "operators"));
    }

    /** Completes the blueprint of {@code source} with this sink. */
    Pipeline close(Source<? extends T> source);

    /** A sink without operators of its own; created by {@link #custom}. */
    final class Loop<T> implements Sink<T> {

        final Attributes attributes;
        final SinkFactory<T> factory;

        Loop(Attributes attributes, SinkFactory<T> factory) {
            this.attributes = Objects.requireNonNull(attributes, "attributes");
            this.factory = Objects.requireNonNull(factory, "factory");
        }

        /** Returns this sink with a different name in snapshots. */
        public Loop<T> named(String name) {
            return new Loop<>(attributes.withName(name), factory);
        }

        /** Returns this sink with additional attributes: name, dispatcher. */
        public Loop<T> with(Attributes more) {
            return new Loop<>(StageAttributes.merge(more, attributes), factory);
        }

        @Override
        public Pipeline close(Source<? extends T> source) {
            return Pipeline.of(Objects.requireNonNull(source, "source"), this);
        }
    }

    /** Operators followed by a sink, used as one sink. Created by {@link #through}. */
    final class Lower<T> implements Sink<T> {

        private final Function<Source<T>, Pipeline> pipeline;

        private Lower(Function<Source<T>, Pipeline> pipeline) {
            this.pipeline = pipeline;
        }

        @Override
        @SuppressWarnings("unchecked") // sources are only read
        public Pipeline close(Source<? extends T> source) {
            return Objects.requireNonNull(
                    pipeline.apply((Source<T>) Objects.requireNonNull(source, "source")),
                    "the function of Sink.through returned null, not a pipeline");
        }
    }
}
