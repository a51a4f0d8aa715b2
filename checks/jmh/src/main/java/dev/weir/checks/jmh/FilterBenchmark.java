package dev.weir.checks.jmh;

import dev.weir.stream.Source;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import reactor.core.publisher.Flux;

/**
 * Measures a filter that keeps a random half of the elements.
 *
 * <p>Run: {@code java -jar checks/jmh/target/benchmarks.jar FilterBenchmark -prof gc}. Timed per input element: the
 * iterator, the filter, and adding the kept elements to a sum. Not timed: boxing. Baselines: Pekko Streams, Reactor,
 * and a hand-written loop.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Benchmark)
@OperationsPerInvocation(Elements.COUNT)
public class FilterBenchmark {

    private static final int KEPT = Elements.COUNT / 2;

    private final Elements elements = Elements.few();

    private static final boolean[] KEEPS = new boolean[512];

    static {
        Random random = new Random(1);
        for (int left = KEEPS.length / 2; left > 0; ) {
            int n = random.nextInt(KEEPS.length);
            if (!KEEPS[n]) {
                KEEPS[n] = true;
                left--;
            }
        }
    }

    private static boolean keeps(Integer n) {
        return KEEPS[n];
    }

    @Benchmark
    public long weir(Contenders contenders) throws InterruptedException {
        return contenders.weir(Source.from(elements).filter(FilterBenchmark::keeps), KEPT);
    }

    @Benchmark
    public long pekko(Contenders contenders) {
        var source = org.apache.pekko.stream.javadsl.Source.from(elements).filter(FilterBenchmark::keeps);
        return contenders.pekko(source, KEPT);
    }

    @Benchmark
    public long reactor(Contenders contenders) throws InterruptedException {
        return contenders.reactor(Flux.fromIterable(elements).filter(FilterBenchmark::keeps), KEPT);
    }

    @Benchmark
    public long loop() {
        Sum sum = new Sum();
        for (Integer element : elements) {
            if (keeps(element)) {
                sum.accept(element);
            }
        }
        return sum.of(KEPT);
    }
}
