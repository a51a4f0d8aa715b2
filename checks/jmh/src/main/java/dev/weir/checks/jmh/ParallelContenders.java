package dev.weir.checks.jmh;

import dev.weir.stream.Source;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Measures a function on all processors, with results in input order. Baselines: Pekko's mapAsync over supplyAsync on a
 * pool with one thread per processor, Reactor's parallel rails (without order), and the function on one thread.
 */
@State(Scope.Benchmark)
public abstract class ParallelContenders {

    private static final int WORKERS = Runtime.getRuntime().availableProcessors();

    private final int count;
    private final Elements elements;
    private final ExecutorService pool = Executors.newFixedThreadPool(WORKERS);
    private final Scheduler rails = Schedulers.newParallel("rival", WORKERS);

    /** Creates the contenders; each processes {@code count} elements per run. */
    protected ParallelContenders(int count) {
        this.count = count;
        this.elements = new Elements(count, 512);
    }

    /** The function. */
    protected abstract Integer work(Integer n);

    @TearDown(Level.Trial)
    public void close() {
        rails.dispose();
        pool.shutdown();
    }

    @Benchmark
    public long weir(Contenders contenders) throws InterruptedException {
        return contenders.weir(Source.from(elements).mapParallel(WORKERS, this::work), count);
    }

    @Benchmark
    public long pekko(Contenders contenders) {
        var source = org.apache.pekko.stream.javadsl.Source.from(elements)
                .mapAsync(WORKERS * 16, n -> CompletableFuture.supplyAsync(() -> work(n), pool));
        return contenders.pekko(source, count);
    }

    @Benchmark
    public long reactor(Contenders contenders) throws InterruptedException {
        Flux<Integer> flux = Flux.fromIterable(elements)
                .parallel(WORKERS)
                .runOn(rails)
                .map(this::work)
                .sequential();
        return contenders.reactor(flux, count);
    }

    @Benchmark
    public long loop() {
        Sum sum = new Sum();
        for (Integer element : elements) {
            sum.accept(work(element));
        }
        return sum.of(count);
    }
}
