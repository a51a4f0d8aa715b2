package dev.weir.checks.jmh;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.infra.Blackhole;

/**
 * Work of a known length on all processors, in the order of the input.
 *
 * <p>Run: {@code java -jar checks/jmh/target/benchmarks.jar MapParallelBenchmark -prof gc}. Timed, per element: the work
 * divided by the number of processors, and what it costs to spread it. The plain loop, on one thread, takes as many times
 * longer as there are processors.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(MapParallelBenchmark.COUNT)
public class MapParallelBenchmark extends ParallelContenders {

    static final int COUNT = 1 << 14;

    /** What each element asks for. */
    @Param({"1", "100"})
    private int microseconds;

    private long tokens;

    public MapParallelBenchmark() {
        super(COUNT);
    }

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

    @Override
    protected Integer work(Integer n) {
        Blackhole.consumeCPU(tokens);
        return Elements.boxed(n + 1);
    }
}
