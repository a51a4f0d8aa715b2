package dev.weir.checks.jmh;

import dev.weir.stream.Source;
import java.util.List;
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
 * Measures {@code mapConcat} with a function that turns each element into four.
 *
 * <p>Run: {@code java -jar checks/jmh/target/benchmarks.jar MapConcatBenchmark -prof gc}. Timed per output element: a
 * quarter of a step over the parents, a step over the children, and adding the element to a sum. Not timed: creating
 * the list of children, which all parents share. Baselines: Pekko Streams, Reactor, and two hand-written loops.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Benchmark)
@OperationsPerInvocation(MapConcatBenchmark.CHILDREN)
public class MapConcatBenchmark {

    static final int CHILDREN = Elements.COUNT;

    private final Elements elements = new Elements(CHILDREN / 4, 512);
    private final List<Integer> four = List.of(1, 2, 3, 4);

    @Benchmark
    public long weir(Contenders contenders) throws InterruptedException {
        return contenders.weir(Source.from(elements).mapConcat(n -> four), CHILDREN);
    }

    @Benchmark
    public long pekko(Contenders contenders) {
        var source = org.apache.pekko.stream.javadsl.Source.from(elements).mapConcat(n -> four);
        return contenders.pekko(source, CHILDREN);
    }

    @Benchmark
    public long reactor(Contenders contenders) throws InterruptedException {
        return contenders.reactor(Flux.fromIterable(elements).concatMapIterable(n -> four), CHILDREN);
    }

    @Benchmark
    public long loop() {
        Sum sum = new Sum();
        for (Integer ignored : elements) {
            for (Integer child : four) {
                sum.accept(child);
            }
        }
        return sum.of(CHILDREN);
    }
}
