package dev.weir.checks.jmh;

import com.softwaremill.jox.Channel;
import dev.weir.stream.Source;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Measures an asynchronous boundary: the source runs on one thread, the sink on another.
 *
 * <p>Run: {@code java -jar checks/jmh/target/benchmarks.jar BoundaryBenchmark -prof gc}. Timed per element: the
 * iterator, the boundary, and adding the element to a sum on the other thread. Not timed: boxing. Each contender has
 * its default buffer: 1,024 elements for Weir, 16 for Pekko, 256 for Reactor. Pekko has a second row with 1,024.
 * Reactor's source is hidden from publishOn, which would otherwise iterate over it on the sink's thread. Jox uses a
 * channel of 1,024 elements between two virtual threads. Hand-written baseline: two threads and an ArrayBlockingQueue
 * of 1,024.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Benchmark)
@OperationsPerInvocation(Elements.COUNT)
public class BoundaryBenchmark {

    private final Elements elements = Elements.few();
    private final Scheduler other = Schedulers.newSingle("rival");

    @TearDown(Level.Trial)
    public void close() {
        other.dispose();
    }

    @Benchmark
    public long weir(Contenders contenders) throws InterruptedException {
        return contenders.weir(Source.from(elements).async(), Elements.COUNT);
    }

    @Benchmark
    public long pekko(Contenders contenders) {
        return contenders.pekko(
                org.apache.pekko.stream.javadsl.Source.from(elements).async(), Elements.COUNT);
    }

    @Benchmark
    public long pekkoBuffer1024(Contenders contenders) {
        var source =
                org.apache.pekko.stream.javadsl.Source.from(elements).async("pekko.actor.default-dispatcher", 1024);
        return contenders.pekko(source, Elements.COUNT);
    }

    @Benchmark
    public long reactor(Contenders contenders) throws InterruptedException {
        return contenders.reactor(Flux.fromIterable(elements).hide().publishOn(other), Elements.COUNT);
    }

    @Benchmark
    public long jox(Contenders contenders) throws InterruptedException {
        Channel<Integer> channel = Channel.newBufferedChannel(1024);
        return contenders.jox(channel, 1, elements, Elements.COUNT);
    }

    @Benchmark
    public long loop() throws InterruptedException {
        ArrayBlockingQueue<Integer> queue = new ArrayBlockingQueue<>(1024);
        Thread upper = Thread.startVirtualThread(() -> {
            try {
                for (Integer element : elements) {
                    queue.put(element);
                }
            } catch (InterruptedException ignored) {
                Thread.currentThread().interrupt();
            }
        });
        Sum sum = new Sum();
        for (int i = 0; i < Elements.COUNT; i++) {
            sum.accept(queue.take());
        }
        upper.join();
        return sum.of(Elements.COUNT);
    }
}
