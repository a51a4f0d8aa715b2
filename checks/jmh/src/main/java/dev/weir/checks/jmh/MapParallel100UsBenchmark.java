package dev.weir.checks.jmh;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;

/**
 * Measures 100 microseconds of work per element, with results in input order.
 *
 * <p>Run: {@code java -jar checks/jmh/target/benchmarks.jar MapParallel100Us}. A run takes 0.2 s on two processors.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(MapParallel100UsBenchmark.COUNT)
public class MapParallel100UsBenchmark extends WorkContenders {

    static final int COUNT = 1 << 12;

    public MapParallel100UsBenchmark() {
        super(COUNT, 100);
    }
}
