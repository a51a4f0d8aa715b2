package dev.weir.checks.interop;

import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.reactivestreams.tck.SubscriberWhiteboxVerification.SubscriberPuppet;
import org.reactivestreams.tck.SubscriberWhiteboxVerification.WhiteboxSubscriberProbe;
import org.reactivestreams.tck.flow.FlowSubscriberBlackboxVerification;
import org.reactivestreams.tck.flow.FlowSubscriberWhiteboxVerification;

/** Runs the TCK against the subscriber of a source. */
class SubscriberTckTest {

    @TestFactory
    Stream<DynamicTest> source_fromOutside() {
        return Tck.verify(Blackbox.class);
    }

    @TestFactory
    Stream<DynamicTest> source_fromInside() {
        return Tck.verify(Whitebox.class);
    }

    /** The subscriber of a pipeline. The TCK is the publisher. */
    private static class Subscribed implements Flow.Subscriber<Integer> {

        private final AtomicReference<Flow.Subscriber<? super Integer>> inside = new AtomicReference<>();
        final RunningPipeline running;

        Subscribed(Consumer<Integer> consumer) {
            running = Source.<Integer>fromPublisher(inside::set, 8)
                    .to(Sink.forEach(consumer::accept))
                    .run();
        }

        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            inside.get().onSubscribe(subscription);
        }

        @Override
        public void onNext(Integer element) {
            inside.get().onNext(element);
        }

        @Override
        public void onError(Throwable failure) {
            inside.get().onError(failure);
        }

        @Override
        public void onComplete() {
            inside.get().onComplete();
        }
    }

    /** Tests only the subscriber itself. */
    public static final class Blackbox extends FlowSubscriberBlackboxVerification<Integer> {

        public Blackbox() {
            super(Tck.environment());
        }

        @Override
        public Flow.Subscriber<Integer> createFlowSubscriber() {
            return new Subscribed(element -> {});
        }

        @Override
        public Integer createElement(int element) {
            return element;
        }
    }

    /** Also observes the sink and the pipeline's end, and can end it. */
    public static final class Whitebox extends FlowSubscriberWhiteboxVerification<Integer> {

        public Whitebox() {
            super(Tck.environment());
        }

        @Override
        protected Flow.Subscriber<Integer> createFlowSubscriber(WhiteboxSubscriberProbe<Integer> probe) {
            Probed subscribed = new Probed(probe);
            var ignored = subscribed.running.completion().whenComplete((report, failure) -> {
                if (failure == null) {
                    probe.registerOnComplete();
                } else {
                    // A dependent future wraps the failure.
                    probe.registerOnError(failure.getCause());
                }
            });
            return subscribed;
        }

        @Override
        public Integer createElement(int element) {
            return element;
        }
    }

    /** Lets the TCK cancel, which must stop the pipeline. */
    private static final class Probed extends Subscribed {

        private final WhiteboxSubscriberProbe<Integer> probe;

        Probed(WhiteboxSubscriberProbe<Integer> probe) {
            super(probe::registerOnNext);
            this.probe = probe;
        }

        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            super.onSubscribe(subscription);
            probe.registerOnSubscribe(new SubscriberPuppet() {
                @Override
                public void triggerRequest(long elements) {
                    // The pipeline requests elements by itself.
                }

                @Override
                public void signalCancel() {
                    running.stop();
                }
            });
        }
    }
}
