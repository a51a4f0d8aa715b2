package dev.weir.checks.jmh;

import dev.weir.stream.Source;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import reactor.core.publisher.Flux;
import reactor.core.publisher.GroupedFlux;

/**
 * Measures {@code groupBy} with a map operator in each key's stream, and the merge of these streams. The keys
 * alternate, which is the worst case for batches.
 *
 * <p>Run: {@code java -jar checks/jmh/target/benchmarks.jar GroupByBenchmark -prof gc}. Timed per element: the
 * iterator, finding the key's stream, the map operator, the merge, and adding the element to a sum. With 100,000 keys,
 * also the creation of a stream for every five elements. Not timed: boxing. Baselines: Pekko's groupBy and
 * mergeSubstreams, Reactor's groupBy and flatMap, and a HashMap of functions.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Benchmark)
@OperationsPerInvocation(Elements.COUNT)
public class GroupByBenchmark {

    /** The number of distinct keys. */
    @Param({"10", "100000"})
    private int keys;

    private final Elements elements = new Elements(Elements.COUNT, 1 << 17);

    private Integer key(Integer n) {
        return Elements.number(n % keys);
    }

    private static Integer next(Integer n) {
        return Elements.boxed(n + 1);
    }

    @Benchmark
    public long weir(Contenders contenders) throws InterruptedException {
        Source<Integer> source =
                Source.from(elements).groupBy(this::key, keys, group -> group.map(GroupByBenchmark::next));
        return contenders.weir(source, Elements.COUNT);
    }

    @Benchmark
    public long pekko(Contenders contenders) {
        var source = org.apache.pekko.stream.javadsl.Source.from(elements)
                .groupBy(keys, this::key)
                .map(GroupByBenchmark::next)
                .mergeSubstreams();
        return contenders.pekko(source, Elements.COUNT);
    }

    @Benchmark
    public long reactor(Contenders contenders) throws InterruptedException {
        Function<GroupedFlux<Integer, Integer>, Flux<Integer>> perKey = group -> group.map(GroupByBenchmark::next);
        return contenders.reactor(Flux.fromIterable(elements).groupBy(this::key).flatMap(perKey, keys), Elements.COUNT);
    }

    @Benchmark
    public long loop() {
        Map<Integer, Function<Integer, Integer>> groups = new HashMap<>();
        Sum sum = new Sum();
        for (Integer element : elements) {
            sum.accept(groups.computeIfAbsent(key(element), key -> GroupByBenchmark::next)
                    .apply(element));
        }
        return sum.of(Elements.COUNT);
    }
}
