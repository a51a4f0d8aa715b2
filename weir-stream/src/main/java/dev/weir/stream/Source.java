package dev.weir.stream;

import dev.weir.stream.internal.interop.Interop;
import dev.weir.stream.internal.operator.Operators;
import dev.weir.stream.internal.run.Node;
import dev.weir.stream.spi.SourceFactory;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.function.Function;

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
public final class Source<T> extends FailureOperators<T> {

    private final Node<T> node;

    private Source(Node<T> node) {
        this.node = node;
    }

    /** The source whose last stage is {@code node}; for operators. */
    static <T> Source<T> at(Node<T> node) {
        return new Source<>(node);
    }

    @Override
    Node<T> node() {
        return node;
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

    /**
     * Emits what a publisher sends; each run subscribes anew.
     *
     * <p>Asks for {@code buffer} elements when the pipeline first wants some, and for more whenever half of them have been
     * taken, so that never more than {@code buffer} wait or are under way, beside the batch that is being worked on. The
     * publisher may signal from any thread. Its completion ends the stream, its failure fails it, both behind the
     * elements sent before. When the pipeline stops, fails or wants no more, the subscription is cancelled. Nobody waits
     * for acknowledgements: a publisher has no way to take them.
     *
     * {@snippet :
     * Flow.Publisher<Order> orders = JdkFlowAdapter.publisherToFlowPublisher(flux); // Reactor
     * Source.fromPublisher(orders, 256).map(Order::total).to(Sink.forEach(totals::add)).run();
     * }
     *
     * @param buffer at least 1
     */
    @Operator(acks = "none to give: the publisher cannot take them", cost = "one uncontended lock per element")
    public static <T> Source<T> fromPublisher(Flow.Publisher<? extends T> publisher, int buffer) {
        return new Source<>(Interop.fromPublisher(Objects.requireNonNull(publisher, "publisher"), buffer));
    }

    /**
     * Operators as a {@link Flow.Processor}: what it is sent goes through them to its subscribers. It is subscribed to one
     * publisher and runs once: from its first subscriber on, until the end, a failure, or until the last subscriber has
     * cancelled. Subscribers share its elements as with {@link #asSharedPublisher}; its input behaves as
     * {@link #fromPublisher}, but that a failure does not wait behind elements for which there is no demand.
     *
     * {@snippet :
     * Flow.Processor<String, Integer> lengths = Source.processor(256, lines -> lines.map(String::length));
     * publisher.subscribe(lengths);
     * lengths.subscribe(subscriber);
     * }
     *
     * @param buffer how many elements may wait before the operators, at least 1
     */
    public static <T, R> Flow.Processor<T, R> processor(int buffer, Function<Source<T>, Source<R>> operators) {
        Objects.requireNonNull(operators, "operators");
        return Interop.processor(buffer, node -> {
            Source<R> processed = operators.apply(new Source<>(node));
            return sink -> processed.to(Sink.custom("subscribers", sink)).run();
        });
    }

    /**
     * This stream as a publisher: each subscriber gets a run of its own, which starts when it subscribes.
     *
     * <p>Never more is sent than was requested; one batch waits for demand, and the stages above as far as their buffers
     * go. Signals come from the run's thread, one at a time. An element is acknowledged when {@code onNext} has returned;
     * for a subscriber that is done later see {@link #withClaim}. Cancelling ends the run as a sink that wants no more:
     * what was not yet handed over stays unacknowledged. A failure of the run goes to {@code onError}; an exception out
     * of the subscriber fails the run and is logged.
     *
     * {@snippet :
     * Flow.Publisher<Order> orders = Source.from(file).map(Order::parse).asPublisher();
     * Flux<Order> flux = JdkFlowAdapter.flowPublisherToFlux(orders); // Reactor
     * }
     */
    @Operator(acks = "when onNext has returned", cost = "one run for each subscriber; a few ns per element")
    public Flow.Publisher<T> asPublisher() {
        return Interop.publisher(sink -> to(Sink.custom("subscriber", sink)).run());
    }

    /**
     * This stream as a publisher whose subscribers share one run, which starts with the first of them and ends when the
     * last has cancelled. A subscriber gets what is sent from then on; the slowest one sets the pace, within a batch the
     * others may be ahead of it. An element is acknowledged when all have returned from {@code onNext}. Whoever comes
     * after the end is told how it ended. Else as {@link #asPublisher}.
     */
    @Operator(acks = "when onNext of every subscriber has returned", cost = "one run; a few ns per element, subscriber")
    public Flow.Publisher<T> asSharedPublisher() {
        return Interop.sharedPublisher(
                sink -> to(Sink.custom("subscribers", sink)).run());
    }

    /**
     * Hands each element on together with a claim that its holder ends by hand, whenever it is done: the element counts as
     * acknowledged when both that and the rest of the pipeline have finished with it. For libraries that take elements
     * asynchronously, below {@link #asPublisher}. A claim that is never ended holds back the source's commits.
     *
     * <p>Completion, failure, cancellation and demand pass through.
     *
     * {@snippet :
     * JdkFlowAdapter.flowPublisherToFlux(orders.withClaim().asPublisher())
     *         .flatMap(order -> store(order.value()).doOnSuccess(stored -> order.ack()));
     * }
     */
    @Operator(acks = "by the holder, in addition", cost = "two objects per element")
    public Source<Claim<T>> withClaim() {
        return new Source<>(Interop.withClaim(node));
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
