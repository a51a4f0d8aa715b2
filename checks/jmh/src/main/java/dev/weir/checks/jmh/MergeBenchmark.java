package dev.weir.checks.jmh;

import com.softwaremill.jox.Channel;
import dev.weir.stream.Source;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
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
 * Measures the merge of eight inputs, each on its own thread.
 *
 * <p>Run: {@code java -jar checks/jmh/target/benchmarks.jar MergeBenchmark -prof gc}. Timed per element: an iterator,
 * the transfer to the downstream thread, and adding the element to a sum there. Not timed: boxing. Baselines: Pekko's
 * merge of eight asynchronous sources, Reactor's merge of eight sources on a parallel scheduler, and eight virtual
 * threads with a channel of Jox or an ArrayBlockingQueue of 1,024.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Benchmark)
@OperationsPerInvocation(Elements.COUNT)
public class MergeBenchmark {

    private static final int INPUTS = 8;

    private final Elements elements = new Elements(Elements.COUNT / INPUTS, 512);
    private final Scheduler scheduler = Schedulers.newParallel("rival", INPUTS);

    @TearDown(Level.Trial)
    public void close() {
        scheduler.dispose();
    }

    @Benchmark
    @SuppressWarnings("unchecked") // an array of sources of one type
    public long weir(Contenders contenders) throws InterruptedException {
        Source<Integer>[] others =
                IntStream.range(1, INPUTS).mapToObj(i -> Source.from(elements)).toArray(Source[]::new);
        return contenders.weir(Source.<Integer>from(elements).merge(others), Elements.COUNT);
    }

    @Benchmark
    public long pekko(Contenders contenders) {
        var merged = org.apache.pekko.stream.javadsl.Source.from(elements).async();
        for (int i = 1; i < INPUTS; i++) {
            merged = merged.merge(
                    org.apache.pekko.stream.javadsl.Source.from(elements).async());
        }
        return contenders.pekko(merged, Elements.COUNT);
    }

    @Benchmark
    public long reactor(Contenders contenders) throws InterruptedException {
        List<Flux<Integer>> inputs = new ArrayList<>();
        for (int i = 0; i < INPUTS; i++) {
            inputs.add(Flux.fromIterable(elements).subscribeOn(scheduler));
        }
        return contenders.reactor(Flux.merge(inputs), Elements.COUNT);
    }

    @Benchmark
    public long jox(Contenders contenders) throws InterruptedException {
        Channel<Integer> channel = Channel.newBufferedChannel(1024);
        return contenders.jox(channel, INPUTS, elements, Elements.COUNT);
    }

    @Benchmark
    public long loop() throws InterruptedException {
        ArrayBlockingQueue<Integer> queue = new ArrayBlockingQueue<>(1024);
        for (int i = 0; i < INPUTS; i++) {
            var ignored = Thread.startVirtualThread(() -> putAll(queue));
        }
        Sum sum = new Sum();
        for (int i = 0; i < Elements.COUNT; i++) {
            sum.accept(queue.take());
        }
        return sum.of(Elements.COUNT);
    }

    private void putAll(ArrayBlockingQueue<Integer> queue) {
        try {
            for (Integer element : elements) {
                queue.put(element);
            }
        } catch (InterruptedException ignored) {
            Thread.currentThread().interrupt();
        }
    }
}
