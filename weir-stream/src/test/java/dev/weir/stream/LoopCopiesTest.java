package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.sun.management.ThreadMXBean;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests operators whose loops are copied for each class of functions. */
class LoopCopiesTest {

    /** The function of all stages of a test. */
    private record Plus(int summand) implements Function<Integer, Integer> {

        @Override
        public Integer apply(Integer n) {
            if (n < 0) {
                throw new IllegalStateException("planted");
            }
            return n + summand;
        }
    }

    @Test
    void stagesWithFunctionsOfOneClass_doNotMixThemUp() throws Exception {
        List<Integer> seen = Source.range(0, 2000)
                .map(new Plus(1))
                .map(new Plus(10))
                .async()
                .map(new Plus(100))
                .toList();
        assertThat(seen).isEqualTo(IntStream.range(111, 2111).boxed().toList());
    }

    @Test
    void exceptionOutOfAFunction_showsTheFunctionAndTheStage() {
        Throwable thrown = catchThrowable(
                () -> Source.of(1, -1).map(new Plus(0)).map(n -> n).runTo(Sink.count()));
        while (thrown.getCause() != null) {
            thrown = thrown.getCause();
        }
        List<String> frames = Arrays.stream(thrown.getStackTrace())
                .map(frame -> frame.getClassName() + "." + frame.getMethodName())
                .toList();
        assertThat(frames.getFirst()).endsWith("LoopCopiesTest$Plus.apply");
        assertThat(frames).anyMatch(frame -> frame.endsWith("MapStage.pull"));
    }

    @Test
    void chain_inSteadyState_allocatesNothingPerElement() throws Exception {
        List<Integer> numbers = IntStream.range(0, 100).boxed().toList();
        assertAllocatesNothingPerElement(source -> source.map(n -> n)
                .map(numbers::get)
                .filter(n -> n % 10 != 0)
                .filterNot(n -> n % 10 == 1)
                .<Integer>collect(n -> n % 10 == 2 ? null : n)
                .statefulMap(ArrayList::new, (state, n) -> n)
                .tap(n -> {})
                .takeWhile(n -> true)
                .scan(0, (sum, n) -> n));
    }

    @Test
    void mapConcat_inSteadyState_allocatesNothingPerChild() throws Exception {
        List<List<Integer>> children = IntStream.range(0, 100)
                .mapToObj(n -> IntStream.range(0, 100).boxed().toList())
                .toList();
        assertAllocatesNothingPerElement(source -> source.mapConcat(children::get));
    }

    private static void assertAllocatesNothingPerElement(UnaryOperator<Source<Integer>> chain) throws Exception {
        int batches = 400;
        List<Integer> numbers = IntStream.range(0, 100).boxed().toList();
        long[] allocatedBytes = new long[2];
        long[] elements = new long[1];
        // Only platform threads count their allocation.
        Attributes onPlatformThread = Attributes.named("measuring").withDispatcher(Dispatcher.single("measured"));
        Sink<Integer> measuring = new Sink.Loop<>(onPlatformThread, context -> upstream -> {
            take(upstream, batches);
            allocatedBytes[0] = allocatedBytes();
            elements[0] = take(upstream, batches);
            allocatedBytes[1] = allocatedBytes();
        });
        try (RunningPipeline running =
                chain.apply(Source.cycle(numbers)).to(measuring).run()) {
            running.await();
        }
        double each = (allocatedBytes[1] - allocatedBytes[0]) / (double) elements[0];
        // The limit allows for one Batch object per batch and, in mapConcat, one iterator per parent.
        assertThat(each).isLessThan(2);
    }

    private static long take(Stage<Integer> upstream, int batches) throws InterruptedException {
        long elements = 0;
        for (int i = 0; i < batches; i++) {
            Batch<Integer> batch = upstream.pull(Stage.NEVER);
            if (batch == null) {
                throw new AssertionError("a cycle has no end");
            }
            elements += batch.size();
            batch.ackAll();
            batch.release();
        }
        return elements;
    }

    private static long allocatedBytes() {
        return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
    }
}
