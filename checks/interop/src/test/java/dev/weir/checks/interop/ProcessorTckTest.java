package dev.weir.checks.interop;

import dev.weir.stream.Source;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.reactivestreams.tck.flow.IdentityFlowProcessorVerification;
import org.testng.annotations.Test;

/** Tests operators as a processor, with the TCK. */
class ProcessorTckTest {

    @TestFactory
    Stream<DynamicTest> processorOfOperators() {
        return Tck.verify(Identity.class);
    }

    @TestFactory
    Stream<DynamicTest> processorOfOperatorsOfOnesOwn() {
        return Tck.verify(Own.class);
    }

    /** Tests a processor composed of a user's own operators. */
    public static final class Own extends Identity {

        @Override
        protected Flow.Processor<Integer, Integer> createIdentityFlowProcessor(int bufferSize) {
            return Source.processor(
                    bufferSize,
                    source -> source.<Integer>operator("own", () -> (n, below) -> below.emit(n))
                            .<Integer>stage("own-stage", (upstream, context) -> new HandedOn<>(upstream)));
        }
    }

    private record HandedOn<T>(Stage<T> upstream) implements Stage<T> {

        @Override
        public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
            return upstream.pull(deadlineNanos);
        }

        @Override
        public void close() {
            upstream.close();
        }
    }

    /** A processor that forwards its input to any number of subscribers. */
    public static class Identity extends IdentityFlowProcessorVerification<Integer> {

        public Identity() {
            super(Tck.environment());
        }

        @Override
        protected Flow.Processor<Integer, Integer> createIdentityFlowProcessor(int bufferSize) {
            return Source.processor(bufferSize, source -> source.map(n -> n));
        }

        @Override
        protected Flow.Publisher<Integer> createFailedFlowPublisher() {
            return Source.<Integer>from(() -> {
                        throw new IllegalStateException("planted");
                    })
                    .asPublisher();
        }

        @Override
        @Test
        public void required_spec313_cancelMustMakeThePublisherEventuallyDropAllReferencesToTheSubscriber()
                throws Exception {
            Tck.assertDropsItsSubscriber(createPublisher(3));
        }

        /** Returns an executor that makes the TCK's publishers answer before a request returns. */
        @Override
        public ExecutorService publisherExecutorService() {
            return new SameThread();
        }

        @Override
        public Integer createElement(int element) {
            return element;
        }
    }

    /** Runs each task before its submission returns. Stateless. */
    private static final class SameThread extends AbstractExecutorService {

        @Override
        public void execute(Runnable task) {
            task.run();
        }

        @Override
        public void shutdown() {}

        @Override
        public List<Runnable> shutdownNow() {
            return List.of();
        }

        @Override
        public boolean isShutdown() {
            return false;
        }

        @Override
        public boolean isTerminated() {
            return false;
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return false;
        }
    }
}
