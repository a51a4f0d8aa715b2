package dev.weir.checks.interop;

import dev.weir.stream.Ordering;
import dev.weir.stream.Source;
import java.util.concurrent.Flow;
import java.util.function.Function;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.reactivestreams.tck.flow.FlowPublisherVerification;
import org.testng.annotations.Test;

/** Tests streams as publishers, with the TCK. */
class PublisherTckTest {

    @TestFactory
    Stream<DynamicTest> fusedStream() {
        return Tck.verify(Fused.class);
    }

    @TestFactory
    Stream<DynamicTest> streamWithThreads() {
        return Tck.verify(Threaded.class);
    }

    @TestFactory
    Stream<DynamicTest> sharedStream() {
        return Tck.verify(Shared.class);
    }

    @TestFactory
    Stream<DynamicTest> streamOfAPublisher() {
        return Tck.verify(RoundTrip.class);
    }

    /** Applies the rules to one way of turning a source into a publisher. */
    abstract static class Rules extends FlowPublisherVerification<Long> {

        private final Function<Source<Long>, Flow.Publisher<Long>> asPublisher;

        Rules(Function<Source<Long>, Flow.Publisher<Long>> asPublisher) {
            super(Tck.environment());
            this.asPublisher = asPublisher;
        }

        @Override
        public Flow.Publisher<Long> createFlowPublisher(long elements) {
            return asPublisher.apply(
                    Source.from(() -> LongStream.range(0, elements).iterator()));
        }

        @Override
        public Flow.Publisher<Long> createFailedFlowPublisher() {
            return asPublisher.apply(Source.from(() -> {
                throw new IllegalStateException("planted");
            }));
        }

        @Override
        @Test
        public void required_spec313_cancelMustMakeThePublisherEventuallyDropAllReferencesToTheSubscriber()
                throws Exception {
            Tck.assertDropsItsSubscriber(createPublisher(3));
        }
    }

    /** Each subscriber has its own run, on one thread. */
    public static final class Fused extends Rules {
        public Fused() {
            super(source -> source.map(n -> n + 1).asPublisher());
        }
    }

    /** Each subscriber has its own run, on several threads. */
    public static final class Threaded extends Rules {
        public Threaded() {
            super(source ->
                    source.async().mapBlocking(4, Ordering.input(), n -> n + 1).asPublisher());
        }
    }

    /** All subscribers share one run. */
    public static final class Shared extends Rules {
        public Shared() {
            super(Source::asSharedPublisher);
        }
    }

    /** A publisher turned into a source, and back into a publisher. */
    public static final class RoundTrip extends Rules {
        public RoundTrip() {
            super(source -> Source.fromPublisher(source.asPublisher(), 4).asPublisher());
        }
    }
}
