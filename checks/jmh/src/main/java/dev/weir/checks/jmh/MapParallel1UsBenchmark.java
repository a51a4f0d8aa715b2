package dev.weir.checks.jmh;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;

/**
 * A microsecond of work, in the order of the input.
 *
 * <p>Run: {@code java -jar checks/jmh/target/benchmarks.jar MapParallel1Us}. A run takes 66 ms on two processors, so
 * that starting and ending it, some 130 us, costs an element 1 ns.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(MapParallel1UsBenchmark.COUNT)
public class MapParallel1UsBenchmark extends WorkContenders {

    static final int COUNT = 1 << 17;

    public MapParallel1UsBenchmark() {
        super(COUNT, 1);
    }
}
