package dev.weir.checks.jmh;

import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.infra.Blackhole;

/**
 * Work of a known length on all processors. Timed, per element: the work divided by the number of processors, and what
 * it costs to spread it. The plain loop, on one thread, takes as many times longer as there are processors.
 */
public abstract class WorkContenders extends ParallelContenders {

    private final int microseconds;

    private long tokens;

    /** Lets each contender work on {@code count} elements in a run, each for so long. */
    protected WorkContenders(int count, int microseconds) {
        super(count);
        this.microseconds = microseconds;
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
