package dev.weir.stream.internal.interop;

import dev.weir.stream.Claim;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.spi.SinkFactory;
import java.util.concurrent.Flow;
import java.util.function.Function;

/** Factory methods of this package, called by the public API. Stateless. */
public final class ReactiveInterop {

    private ReactiveInterop() {}

    public static <T> BlueprintNode<T> fromPublisher(Flow.Publisher<? extends T> publisher, int buffer) {
        return PublisherSource.node(publisher, buffer);
    }

    /** Creates a sink that passes elements to {@code subscriber} as it requests them. */
    public static <T> SinkFactory<T> toSubscriber(Flow.Subscriber<? super T> subscriber) {
        return context -> {
            FanoutSink<T> fanout = new FanoutSink<>();
            fanout.subscribe(subscriber);
            return fanout.loop(context);
        };
    }

    /**
     * Creates a publisher that starts a separate run for each subscriber.
     *
     * @param starter adds the given sink to a blueprint and starts a run
     */
    public static <T> Flow.Publisher<T> publisher(Function<SinkFactory<T>, RunningPipeline> starter) {
        return subscriber -> new SharedPublisher<>(starter).subscribe(subscriber);
    }

    public static <T> Flow.Publisher<T> sharedPublisher(Function<SinkFactory<T>, RunningPipeline> starter) {
        return new SharedPublisher<>(starter);
    }

    /**
     * Creates a processor with one run.
     *
     * @param starter adds operators to the given node; the function it returns adds a sink and starts the run
     */
    public static <T, R> Flow.Processor<T, R> processor(
            int buffer, Function<BlueprintNode<T>, Function<SinkFactory<R>, RunningPipeline>> starter) {
        return new FlowProcessor<>(buffer, starter);
    }

    /**
     * Wraps each element in a {@link Claim}. The element stays unacknowledged until its recipient calls
     * {@link Claim#ack}.
     */
    public static <T> BlueprintNode<Claim<T>> withClaim(BlueprintNode<T> above) {
        return ClaimStage.node(above);
    }
}
