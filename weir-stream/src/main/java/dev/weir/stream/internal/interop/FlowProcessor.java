package dev.weir.stream.internal.interop;

import dev.weir.stream.RunningPipeline;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.spi.SinkFactory;
import java.util.concurrent.Flow;
import java.util.function.Function;

/**
 * A processor that applies operators to a publisher's elements. All subscribers share one run, which starts with the
 * first subscriber. Thread-safe.
 */
final class FlowProcessor<T, R> implements Flow.Processor<T, R> {

    private final PublisherInbox<T> input;
    private final SharedPublisher<R> output;

    FlowProcessor(int buffer, Function<BlueprintNode<T>, Function<SinkFactory<R>, RunningPipeline>> starter) {
        input = new PublisherInbox<>(buffer);
        output = new SharedPublisher<>(starter.apply(PublisherSource.node(input)));
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        input.onSubscribe(subscription);
    }

    @Override
    public void onNext(T element) {
        input.onNext(element);
    }

    @Override
    public void onError(Throwable failure) {
        input.onError(failure);
        // Rule 4.2 of Reactive Streams requires a processor to pass on a failure immediately. Requested elements still
        // come first.
        output.failInsteadOfWaiting(failure);
    }

    @Override
    public void onComplete() {
        input.onComplete();
    }

    @Override
    public void subscribe(Flow.Subscriber<? super R> subscriber) {
        output.subscribe(subscriber);
    }
}
