package dev.weir.checks.jmh;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;

/**
 * Measures the overhead of parallel computation with a function that does almost nothing.
 *
 * <p>Run: {@code java -jar checks/jmh/target/benchmarks.jar MapParallelOverheadBenchmark -prof gc}. Timed per element:
 * the iterator, the transfer to a worker and back, and adding the result to a sum.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(MapParallelOverheadBenchmark.COUNT)
public class MapParallelOverheadBenchmark extends ParallelContenders {

    static final int COUNT = Elements.COUNT;

    public MapParallelOverheadBenchmark() {
        super(COUNT);
    }

    @Override
    protected Integer work(Integer n) {
        return Elements.boxed(n + 1);
    }
}
