package dev.weir.checks.jmh;

import dev.weir.stream.Source;
import java.util.List;
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

/**
 * Measures a chain of map operators on one thread. Each operator has its own function, which allocates nothing.
 *
 * <p>Run: {@code java -jar checks/jmh/target/benchmarks.jar ChainBenchmark -prof gc}. Timed per element: the iterator,
 * the chain, and adding the element to a sum. Not timed: boxing. The cost of one operator is the difference between two
 * chain lengths; length 0 has only source and sink. Baselines: Pekko Streams, Reactor, and a hand-written loop that
 * calls the same functions.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Benchmark)
@OperationsPerInvocation(Elements.COUNT)
public class ChainBenchmark {

    /** A function for all contenders, without wrappers. */
    private interface Step
            extends Function<Integer, Integer>, org.apache.pekko.japi.function.Function<Integer, Integer> {

        @Override
        Integer apply(Integer n);
    }

    /** The number of operators. */
    @Param({"0", "1", "5", "20"})
    private int operators;

    private final Elements elements = Elements.few();

    /** Each function has its own class, as in a real program. */
    private static final List<Step> FUNCTIONS = List.of(
            n -> Elements.boxed(n + 1),
            n -> Elements.boxed(n + 2),
            n -> Elements.boxed(n + 3),
            n -> Elements.boxed(n + 4),
            n -> Elements.boxed(n + 5),
            n -> Elements.boxed(n + 6),
            n -> Elements.boxed(n + 7),
            n -> Elements.boxed(n + 8),
            n -> Elements.boxed(n + 9),
            n -> Elements.boxed(n + 10),
            n -> Elements.boxed(n + 11),
            n -> Elements.boxed(n + 12),
            n -> Elements.boxed(n + 13),
            n -> Elements.boxed(n + 14),
            n -> Elements.boxed(n + 15),
            n -> Elements.boxed(n + 16),
            n -> Elements.boxed(n + 17),
            n -> Elements.boxed(n + 18),
            n -> Elements.boxed(n + 19),
            n -> Elements.boxed(n + 20));

    @Benchmark
    public long weir(Contenders contenders) throws InterruptedException {
        Source<Integer> source = Source.from(elements);
        for (int i = 0; i < operators; i++) {
            source = source.map(FUNCTIONS.get(i));
        }
        return contenders.weir(source, Elements.COUNT);
    }

    @Benchmark
    public long pekko(Contenders contenders) {
        var source = org.apache.pekko.stream.javadsl.Source.from(elements);
        for (int i = 0; i < operators; i++) {
            source = source.map(FUNCTIONS.get(i));
        }
        return contenders.pekko(source, Elements.COUNT);
    }

    @Benchmark
    public long reactor(Contenders contenders) throws InterruptedException {
        Flux<Integer> flux = Flux.fromIterable(elements);
        for (int i = 0; i < operators; i++) {
            flux = flux.map(FUNCTIONS.get(i));
        }
        return contenders.reactor(flux, Elements.COUNT);
    }

    @Benchmark
    public long loop() {
        Sum sum = new Sum();
        for (Integer element : elements) {
            sum.accept(
                    switch (operators) {
                        case 0 -> element;
                        case 1 -> one(element);
                        case 5 -> five(element);
                        case 20 -> twenty(element);
                        default -> throw new IllegalArgumentException("no loop for operators=" + operators);
                    });
        }
        return sum.of(Elements.COUNT);
    }

    private static Integer one(Integer n) {
        return Elements.boxed(n + 1);
    }

    private static Integer five(Integer n) {
        Integer a = Elements.boxed(n + 1);
        Integer b = Elements.boxed(a + 2);
        Integer c = Elements.boxed(b + 3);
        Integer d = Elements.boxed(c + 4);
        return Elements.boxed(d + 5);
    }

    private static Integer twenty(Integer n) {
        Integer result = n;
        for (int i = 1; i <= 20; i++) {
            result = Elements.boxed(result + i);
        }
        return result;
    }
}
