package dev.weir.checks.jmh;

import dev.weir.stream.Source;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Measures {@code mapAsync} with completed futures: 16 calls at a time, results in input order.
 *
 * <p>Run: {@code java -jar checks/jmh/target/benchmarks.jar MapAsyncBenchmark -prof gc}. Timed per element: the
 * iterator, obtaining the future and its value, and adding the value to a sum. Not timed: creating the futures.
 * Baselines: Pekko's mapAsync, Reactor's flatMapSequential over Mono.fromFuture, and join in a plain loop.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Benchmark)
@OperationsPerInvocation(Elements.COUNT)
public class MapAsyncBenchmark {

    private static final int AT_ONCE = 16;

    private final Elements elements = Elements.few();
    private final CompletableFuture<Integer>[] futures = futures();

    @SuppressWarnings({"unchecked", "rawtypes"}) // filled below with futures of this type only
    private static CompletableFuture<Integer>[] futures() {
        CompletableFuture<Integer>[] futures = new CompletableFuture[512];
        for (int i = 0; i < futures.length; i++) {
            futures[i] = CompletableFuture.completedFuture(Elements.boxed(i));
        }
        return futures;
    }

    private CompletableFuture<Integer> future(Integer n) {
        return futures[n & 511];
    }

    @Benchmark
    public long weir(Contenders contenders) throws InterruptedException {
        return contenders.weir(Source.from(elements).mapAsync(AT_ONCE, this::future), Elements.COUNT);
    }

    @Benchmark
    public long pekko(Contenders contenders) {
        var source = org.apache.pekko.stream.javadsl.Source.from(elements).mapAsync(AT_ONCE, this::future);
        return contenders.pekko(source, Elements.COUNT);
    }

    @Benchmark
    public long reactor(Contenders contenders) throws InterruptedException {
        Flux<Integer> flux = Flux.fromIterable(elements).flatMapSequential(n -> Mono.fromFuture(future(n)), AT_ONCE);
        return contenders.reactor(flux, Elements.COUNT);
    }

    @Benchmark
    public long loop() {
        Sum sum = new Sum();
        for (Integer element : elements) {
            sum.accept(future(element).join());
        }
        return sum.of(Elements.COUNT);
    }
}
