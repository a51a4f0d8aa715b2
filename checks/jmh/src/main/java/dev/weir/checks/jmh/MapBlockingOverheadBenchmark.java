package dev.weir.checks.jmh;

import dev.weir.stream.Ordering;
import dev.weir.stream.Source;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * Measures the cost of workers per element with trivial handlers, unordered and ordered by 131,072 keys.
 *
 * <p>Run: {@code java -jar checks/jmh/target/benchmarks.jar MapBlockingOverheadBenchmark -prof gc}. Timed per element:
 * the iterator, the key, the transfer to a worker and back, and adding the result to a sum. With {@code counts}, each
 * handler increments one shared count under a lock. Baseline: the handler on one thread.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Benchmark)
@OperationsPerInvocation(Elements.COUNT)
public class MapBlockingOverheadBenchmark {

    /** The number of elements in flight. */
    @Param({"16", "100"})
    private int atOnce;

    /** The order to keep. */
    @Param({"none", "key"})
    private String order = "none";

    /** True if all handlers increment one shared count. */
    @Param({"false", "true"})
    private boolean counts;

    private final Elements elements = new Elements(Elements.COUNT, 1 << 17);
    private final ReentrantLock lock = new ReentrantLock();
    private final long[] counted = new long[1 << 17];

    private Integer handle(Integer n) {
        if (counts) {
            lock.lock();
            try {
                counted[n]++;
            } finally {
                lock.unlock();
            }
        }
        return Elements.boxed(n + 1);
    }

    private Ordering<Integer> ordering() {
        return order.equals("key") ? Ordering.byHash(n -> n) : Ordering.unordered();
    }

    @Benchmark
    public long weir(Contenders contenders) throws InterruptedException {
        return contenders.weir(Source.from(elements).mapBlocking(atOnce, ordering(), this::handle), Elements.COUNT);
    }

    @Benchmark
    public long loop() {
        Sum sum = new Sum();
        for (Integer element : elements) {
            sum.accept(handle(element));
        }
        return sum.of(Elements.COUNT);
    }
}
