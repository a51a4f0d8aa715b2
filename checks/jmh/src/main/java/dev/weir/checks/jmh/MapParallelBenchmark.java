package dev.weir.checks.jmh;

import dev.weir.stream.Source;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.Blackhole;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Work of a known length on all processors, in the order of the input.
 *
 * <p>Run: {@code java -jar checks/jmh/target/benchmarks.jar MapParallelBenchmark -prof gc}. Timed, per element: the work divided by the number of processors, and what it costs to spread it. Baselines: Pekko's mapAsync
 * over supplyAsync on a pool of as many threads, Reactor's parallel rails (which do not keep the order), and the function
 * on one thread, which takes as many times longer as there are processors.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Benchmark)
@OperationsPerInvocation(MapParallelBenchmark.COUNT)
public class MapParallelBenchmark {

    static final int COUNT = 1 << 12;

    private static final int WORKERS = Runtime.getRuntime().availableProcessors();

    private final Elements elements = new Elements(COUNT, 512);
    private final ExecutorService pool = Executors.newFixedThreadPool(WORKERS);
    private final Scheduler rails = Schedulers.newParallel("rival", WORKERS);

    /** What each element asks for. */
    @Param({"1", "100"})
    private int microseconds;

    private long tokens;

    /** Finds how many of JMH's tokens of work last that long here. */
    @Setup(Level.Trial)
    public void calibrate() {
        long bestNanosPerMillion = Long.MAX_VALUE;
        for (int i = 0; i < 20; i++) {
            long start = System.nanoTime();
            Blackhole.consumeCPU(1_000_000);
            bestNanosPerMillion = Math.min(bestNanosPerMillion, System.nanoTime() - start);
        }
        tokens = microseconds * 1_000_000_000L / bestNanosPerMillion;
    }

    @TearDown(Level.Trial)
    public void close() {
        rails.dispose();
        pool.shutdown();
    }

    private Integer work(Integer n) {
        Blackhole.consumeCPU(tokens);
        return Elements.boxed(n + 1);
    }

    @Benchmark
    public long weir(Contenders contenders) throws InterruptedException {
        return contenders.weir(Source.from(elements).mapParallel(WORKERS, this::work), COUNT);
    }

    @Benchmark
    public long pekko(Contenders contenders) {
        var source = org.apache.pekko.stream.javadsl.Source.from(elements)
                .mapAsync(WORKERS * 16, n -> CompletableFuture.supplyAsync(() -> work(n), pool));
        return contenders.pekko(source, COUNT);
    }

    @Benchmark
    public long reactor(Contenders contenders) throws InterruptedException {
        Flux<Integer> flux = Flux.fromIterable(elements)
                .parallel(WORKERS)
                .runOn(rails)
                .map(this::work)
                .sequential();
        return contenders.reactor(flux, COUNT);
    }

    @Benchmark
    public long loop() {
        Sum sum = new Sum();
        for (Integer element : elements) {
            sum.accept(work(element));
        }
        return sum.of(COUNT);
    }
}
