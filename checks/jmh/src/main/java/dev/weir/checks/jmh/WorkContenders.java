package dev.weir.checks.jmh;

import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.infra.Blackhole;

/**
 * Measures work of a known duration on all processors. The time per element is this duration divided by the number of
 * processors, plus the cost of distributing the work. The plain loop runs on one thread.
 */
public abstract class WorkContenders extends ParallelContenders {

    private final int microseconds;

    private long tokens;

    /** Creates the contenders. Each processes {@code count} elements per run, each for {@code microseconds}. */
    protected WorkContenders(int count, int microseconds) {
        super(count);
        this.microseconds = microseconds;
    }

    /** Determines the number of JMH's work tokens for the given time on this machine. */
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
