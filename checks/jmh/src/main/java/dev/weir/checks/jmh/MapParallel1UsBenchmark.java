package dev.weir.checks.jmh;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;

/**
 * Measures one microsecond of work per element, with results in input order.
 *
 * <p>Run: {@code java -jar checks/jmh/target/benchmarks.jar MapParallel1Us}. A run takes 66 ms on two processors. Its
 * start and end (130 us) add 1 ns per element.
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
