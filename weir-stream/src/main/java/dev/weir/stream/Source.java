package dev.weir.stream;

import dev.weir.stream.internal.interop.ReactiveInterop;
import dev.weir.stream.internal.operator.ElementStages;
import dev.weir.stream.internal.run.ArgumentChecks;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.source.SourceStages;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.SourceFactory;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The blueprint of a stream: the origin of the elements and the operators applied to them. Immutable, so it can be used
 * in any number of pipelines; nothing runs until its {@link Pipeline} is run.
 *
 * <p>Operators between two asynchronous boundaries run fused on one thread, batch by batch. Functions given to fused
 * operators are called by one thread at a time and must not block; use {@link #mapBlocking} for blocking work and
 * {@link #mapParallel} for CPU-intensive work. If any function throws, the pipeline fails, and the current element and
 * all other unfinished elements stay unacknowledged. To handle an operator's failures differently, call
 * {@link #supervised} immediately after it: supervision can retry the element, skip it, or restart the operator.
 *
 * <p>Elements are never null.
 */
public final class Source<T> extends FailureOperators<T> {

    private final BlueprintNode<T> node;

    private Source(BlueprintNode<T> node) {
        this.node = node;
    }

    /** Returns the source whose last stage is {@code node}. */
    static <T> Source<T> at(BlueprintNode<T> node) {
        return new Source<>(node);
    }

    @Override
    BlueprintNode<T> node() {
        return node;
    }

    /** Creates a custom source. */
    @Operator(acks = "implementation-defined", cost = "implementation-defined")
    public static <T> Source<T> custom(String name, SourceFactory<T> factory) {
        return new Source<>(ElementStages.custom(name, Objects.requireNonNull(factory, "factory")));
    }

    /**
     * Emits the elements of an iterable, from the start in each run. If its iterator fails, the preceding elements are
     * emitted before the failure is passed on. When the pipeline is stopped, the source ends after the current element.
     *
     * <p>This source, like every source that calls user code for each element, collects {@link Batch#DEFAULT_CAPACITY}
     * elements before it emits them. If collecting that many may take long, set a smaller number:
     * {@code with(Attributes.NONE.withBuffer(1))}.
     */
    @Operator(acks = "none", cost = "the iterator's cost")
    public static <T> Source<T> from(Iterable<? extends T> elements) {
        return new Source<>(SourceStages.iterable("iterable", Objects.requireNonNull(elements, "elements")));
    }

    /** Emits the elements of an iterator. Each run gets its own iterator from {@code iterators} when it starts. */
    @Operator(acks = "none", cost = "the iterator's cost")
    public static <T> Source<T> fromIterator(Supplier<? extends Iterator<? extends T>> iterators) {
        Objects.requireNonNull(iterators, "iterators");
        return new Source<>(SourceStages.iterable("iterator", () -> widened(iterators.get())));
    }

    @SuppressWarnings("unchecked") // iterators are only read
    private static <T> Iterator<T> widened(Iterator<? extends T> iterator) {
        return (Iterator<T>) iterator;
    }

    /** Emits no elements and completes immediately. */
    @Operator(acks = "none", cost = "none")
    public static <T> Source<T> empty() {
        return new Source<>(SourceStages.empty());
    }

    /** Emits one element. */
    @Operator(acks = "none", cost = "one batch")
    public static <T> Source<T> single(T element) {
        return Source.<T>from(List.of(Objects.requireNonNull(element, "element")))
                .named("single");
    }

    /**
     * Fails immediately with {@code failure}. If {@code failure} is a checked exception, the pipeline fails with a
     * CompletionException that has {@code failure} as its cause.
     */
    @Operator(acks = "none", cost = "none")
    public static <T> Source<T> failed(Throwable failure) {
        return new Source<>(SourceStages.failed(Objects.requireNonNull(failure, "failure")));
    }

    /** Emits no elements and completes only when the pipeline is stopped. */
    @Operator(acks = "none", cost = "no allocation")
    public static <T> Source<T> never() {
        return new Source<>(SourceStages.never());
    }

    /** Emits the same element forever, on demand. */
    @Operator(acks = "none", cost = "about a nanosecond per element")
    public static <T> Source<T> repeat(T element) {
        return new Source<>(SourceStages.repeat(Objects.requireNonNull(element, "element")));
    }

    /** Repeats the elements of an iterable forever. Completes immediately if the iterable is empty. */
    @Operator(acks = "none", cost = "the iterator's cost")
    public static <T> Source<T> cycle(Iterable<? extends T> elements) {
        return new Source<>(SourceStages.cycle(Objects.requireNonNull(elements, "elements")));
    }

    /** Emits the numbers from {@code from} to {@code to} - 1. Emits no elements if the range is empty. */
    @Operator(acks = "none", cost = "a boxed number per element")
    public static Source<Integer> range(int from, int to) {
        return new Source<>(SourceStages.range(from, to, number -> (int) number));
    }

    /** Emits the numbers from {@code from} to {@code to} - 1. Emits no elements if the range is empty. */
    @Operator(acks = "none", cost = "a boxed number per element")
    public static Source<Long> range(long from, long to) {
        return new Source<>(SourceStages.range(from, to, number -> number));
    }

    /**
     * Emits {@code element} after {@code initialDelay} and then every {@code interval}, until the pipeline is stopped.
     * The run's clock measures both durations. While there is no demand, one tick is kept and further ticks are
     * skipped. Skipped ticks do not shift the schedule.
     *
     * @param interval more than zero
     */
    @Operator(acks = "none", cost = "a small batch per tick")
    public static <T> Source<T> tick(Duration initialDelay, Duration interval, T element) {
        return new Source<>(SourceStages.tick(initialDelay, interval, Objects.requireNonNull(element, "element")));
    }

    /**
     * Emits the elements that other threads offer to {@code queue}. See {@link SourceQueue}. A full queue applies
     * back-pressure: offers are refused or wait. When the pipeline is stopped, the elements in the queue are still
     * emitted. If the pipeline fails, is cancelled or needs no more elements, the elements in the queue are dropped.
     * After any of these events, offers return {@link SourceQueue.Closed}.
     *
     * @param queue can feed one run only; a second run is refused when it starts
     */
    @Operator(acks = "none", cost = "a lock per offer")
    public static <T> Source<T> queue(SourceQueue<T> queue) {
        Objects.requireNonNull(queue, "queue");
        return custom("queue", queue::attach);
    }

    /**
     * Emits elements that {@code function} computes from a state. The function returns an element and the next state,
     * or an empty optional to end the stream.
     *
     * <pre>{@code
     * Source<Integer> powers =
     *         Source.unfold(1, n -> n > 100 ? Optional.empty() : Optional.of(new Unfolded<>(2 * n, n)));
     * }</pre>
     *
     * @param initial the initial state of each run
     */
    @Operator(acks = "none", cost = "`function`'s cost")
    public static <S, T> Source<T> unfold(S initial, Function<? super S, Optional<Unfolded<S, T>>> function) {
        return new Source<>(SourceStages.unfold(
                Objects.requireNonNull(initial, "initial"), Objects.requireNonNull(function, "function")));
    }

    /**
     * Emits elements that an asynchronous function computes from a state. For example, the function may load the next
     * page of a list. See {@link #unfold}. The function is called on demand, one step at a time. The elements of steps
     * that complete immediately are emitted together. When the stream ends, it does not wait for a step that is still
     * running.
     */
    @Operator(acks = "none", cost = "`function`'s cost; a thread wake-up per asynchronous step")
    public static <S, T> Source<T> unfoldAsync(
            S initial, Function<? super S, ? extends CompletionStage<Optional<Unfolded<S, T>>>> function) {
        return new Source<>(SourceStages.unfoldAsync(
                Objects.requireNonNull(initial, "initial"), Objects.requireNonNull(function, "function")));
    }

    /**
     * Emits the elements read from a resource until {@code read} returns an empty optional. Each run opens its own
     * resource on first demand and closes it exactly once: after the last element, or when the stream fails or is
     * cancelled. {@code open}, {@code read} and {@code close} run on the stream's thread and may block.
     *
     * <pre>{@code
     * Source<String> lines = Source.resource(
     *         () -> Files.newBufferedReader(path), reader -> Optional.ofNullable(reader.readLine()), Reader::close);
     * }</pre>
     */
    @Operator(acks = "none", cost = "the cost of reading")
    public static <R, T> Source<T> resource(
            Callable<? extends R> open, Handler<? super R, Optional<T>> read, Action<? super R> close) {
        return new Source<>(SourceStages.resource(
                Objects.requireNonNull(open, "open"),
                Objects.requireNonNull(read, "read"),
                Objects.requireNonNull(close, "close")));
    }

    /** Emits the result of {@code stage}, and fails if {@code stage} fails. Never cancels {@code stage}. */
    @Operator(acks = "none", cost = "one batch")
    public static <T> Source<T> completionStage(CompletionStage<? extends T> stage) {
        return new Source<>(SourceStages.completionStage(Objects.requireNonNull(stage, "stage")));
    }

    /**
     * Emits the elements of the source that {@code stage} completes with. Each run starts the source as soon as
     * {@code stage} has completed.
     */
    @Operator(acks = "as in that source", cost = "an additional pull per batch")
    public static <T> Source<T> completionStageSource(CompletionStage<Source<T>> stage) {
        return new Source<>(
                SourceStages.completionStageSource(stage.thenApply(source -> made("completionStageSource", source))));
    }

    /**
     * Emits the elements of the source that the supplier {@code source} returns. Each run calls the supplier on first
     * demand.
     */
    @Operator(acks = "as in that source", cost = "an additional pull per batch")
    public static <T> Source<T> lazily(Supplier<Source<T>> source) {
        Objects.requireNonNull(source, "source");
        return new Source<>(SourceStages.lazily(() -> made("lazily", source.get())));
    }

    /** Emits the given elements. */
    @Operator(acks = "none", cost = "about a nanosecond per element")
    @SafeVarargs
    @SuppressWarnings("varargs") // the copy is only read
    public static <T> Source<T> of(T... elements) {
        return from(ArgumentChecks.list("elements", elements));
    }

    /**
     * Emits the elements of a publisher. Each run creates its own subscription.
     *
     * <p>The source requests {@code buffer} elements on first demand and requests more each time half of them have been
     * consumed. At most {@code buffer} elements are requested or queued at any time, not counting the batch that is
     * being processed. The publisher may signal from any thread. When the publisher completes or fails, the stream
     * first emits all elements that the publisher has sent, and then completes or fails as well. When the pipeline
     * stops, fails or needs no more elements, the subscription is cancelled. Acknowledgements are ignored, because a
     * publisher cannot receive them.
     *
     * {@snippet :
     * Flow.Publisher<Order> orders = JdkFlowAdapter.publisherToFlowPublisher(flux); // Reactor
     * Source.fromPublisher(orders, 256).map(Order::total).to(Sink.forEach(totals::add)).run();
     * }
     *
     * @param buffer at least 1
     */
    @Operator(acks = "none", cost = "one uncontended lock per element")
    public static <T> Source<T> fromPublisher(Flow.Publisher<? extends T> publisher, int buffer) {
        return new Source<>(ReactiveInterop.fromPublisher(Objects.requireNonNull(publisher, "publisher"), buffer));
    }

    /**
     * Turns operators into a {@link Flow.Processor}: its input passes through the operators to its subscribers. The
     * processor subscribes to one publisher and runs once, from its first subscriber until the end, a failure, or the
     * cancellation of the last subscriber. Subscribers share its elements as with {@link #asSharedPublisher}. Its input
     * behaves as with {@link #fromPublisher}, with one exception. If the input fails, subscribers receive the failure
     * without having to request the remaining elements first.
     *
     * {@snippet :
     * Flow.Processor<String, Integer> lengths = Source.processor(256, lines -> lines.map(String::length));
     * publisher.subscribe(lengths);
     * lengths.subscribe(subscriber);
     * }
     *
     * @param buffer maximum number of elements queued before the operators, at least 1
     */
    public static <T, R> Flow.Processor<T, R> processor(int buffer, Function<Source<T>, Source<R>> operators) {
        Objects.requireNonNull(operators, "operators");
        return ReactiveInterop.processor(buffer, node -> {
            Source<R> processed = new Source<>(made("processor", operators.apply(new Source<>(node))));
            return sink -> processed.to(Sink.custom("subscribers", sink)).run();
        });
    }

    /**
     * Returns this stream as a publisher. Each subscriber gets its own run, which starts when it subscribes.
     *
     * <p>The publisher never sends more elements than were requested. Without demand, one batch waits to be handed
     * over, and the upstream stages wait once their buffers are full. Signals come from the run's thread, one at a
     * time. An element is acknowledged when {@code onNext} has returned; for a subscriber that finishes elements later,
     * see {@link #withClaim}. If a subscriber cancels, its run ends like a run whose sink needs no more elements, and
     * elements that have not been handed over stay unacknowledged. A failure of the run is passed to {@code onError};
     * an exception from the subscriber fails the run and is logged.
     *
     * {@snippet :
     * Flow.Publisher<Order> orders = Source.from(file).map(Order::parse).asPublisher();
     * Flux<Order> flux = JdkFlowAdapter.flowPublisherToFlux(orders); // Reactor
     * }
     */
    @Operator(acks = "when `onNext` has returned", cost = "a pipeline run per subscriber; a few ns per element")
    public Flow.Publisher<T> asPublisher() {
        return ReactiveInterop.publisher(
                sink -> to(Sink.custom("subscriber", sink)).run());
    }

    /**
     * Returns this stream as a publisher whose subscribers share one run. The run starts with the first subscriber and
     * ends when the last has cancelled. A new subscriber starts with the first element that no subscriber has received
     * yet. The slowest subscriber sets the pace; the others may be at most one batch ahead of the slowest. An element
     * is acknowledged when {@code onNext} of every subscriber has returned. A subscriber that arrives after the end
     * receives the final signal. In all other respects, the publisher works like {@link #asPublisher}.
     */
    @Operator(
            acks = "when `onNext` of every subscriber has returned",
            cost = "one pipeline run; a few ns per element and subscriber")
    public Flow.Publisher<T> asSharedPublisher() {
        return ReactiveInterop.sharedPublisher(
                sink -> to(Sink.custom("subscribers", sink)).run());
    }

    /**
     * Wraps each element in a {@link Claim}, through which user code acknowledges the element. The element is
     * acknowledged once both the {@link Claim}'s holder and the rest of the pipeline have acknowledged it. This is
     * intended for libraries that process elements asynchronously after {@link #asPublisher}. A claim that is never
     * acknowledged holds back the source's commits.
     *
     * <p>Completion, failure, cancellation and demand pass through this operator unchanged.
     *
     * {@snippet :
     * JdkFlowAdapter.flowPublisherToFlux(orders.withClaim().asPublisher())
     *         .flatMap(order -> store(order.value()).doOnSuccess(stored -> order.ack()));
     * }
     */
    @Operator(
            acks = "when acknowledged both through its `Claim` and by the next stage",
            cost = "two objects per element")
    public Source<Claim<T>> withClaim() {
        return new Source<>(ReactiveInterop.withClaim(node));
    }

    /** Names the preceding operator. The name appears in snapshots and thread names. */
    public Source<T> named(String name) {
        return with(Attributes.named(name));
    }

    /**
     * Adds attributes to the preceding operator: name, dispatcher, buffer, supervision.
     *
     * <p>If the operator does not support an attribute, running the pipeline throws an
     * {@link IllegalArgumentException}, which names the operators that do support it.
     */
    public Source<T> with(Attributes attributes) {
        return new Source<>(node.with(Objects.requireNonNull(attributes, "attributes")));
    }

    /** Completes the blueprint with a sink. */
    public Pipeline to(Sink<? super T> sink) {
        return sink.close(this);
    }

    /**
     * Runs the pipeline to the end, or throws its failure. Used with sinks that have no result. Interrupting the caller
     * cancels the pipeline.
     *
     * <pre>{@code
     * void greet() throws InterruptedException {
     *     Source.of("Ada", "Grace").runTo(Sink.forEach(name -> System.out.println("Hello " + name)));
     * }
     * }</pre>
     */
    public void runTo(Sink<? super T> sink) throws InterruptedException {
        try (RunningPipeline running = to(sink).run()) {
            awaitOrCancel(running);
        }
    }

    /**
     * Runs the pipeline to the end and returns the sink's result, or throws the pipeline's failure. Interrupting the
     * caller cancels the pipeline.
     *
     * <pre>{@code
     * long even() throws InterruptedException {
     *     return Source.range(0, 10).filter(n -> n % 2 == 0).runTo(Sink.count());
     * }
     * }</pre>
     */
    public <R> R runTo(ResultSink<? super T, R> sink) throws InterruptedException {
        try (RunningPipeline running = to(sink).run()) {
            awaitOrCancel(running);
            return running.result(sink).join();
        }
    }

    private static void awaitOrCancel(RunningPipeline running) throws InterruptedException {
        try {
            var ignored = running.await();
        } catch (InterruptedException interrupted) {
            running.cancel();
            throw interrupted;
        }
    }

    /** Runs the pipeline to the end and returns all elements, like {@link #runTo} with {@link Sink#toList}. */
    public List<T> toList() throws InterruptedException {
        return runTo(Sink.<T>toList());
    }
}
