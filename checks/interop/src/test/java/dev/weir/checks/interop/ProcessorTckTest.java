package dev.weir.checks.interop;

import dev.weir.stream.Source;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.reactivestreams.tck.flow.IdentityFlowProcessorVerification;
import org.testng.annotations.AfterClass;

/** Operators as a processor, by the TCK. */
class ProcessorTckTest {

    @TestFactory
    Stream<DynamicTest> processorOfOperators() {
        return Tck.verify(Identity.class);
    }

    /** Hands on what it is sent, to any number of subscribers. */
    public static final class Identity extends IdentityFlowProcessorVerification<Integer> {

        private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();

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
        public ExecutorService publisherExecutorService() {
            return executor;
        }

        @Override
        public Integer createElement(int element) {
            return element;
        }

        @AfterClass
        public void close() {
            executor.close();
        }
    }
}
