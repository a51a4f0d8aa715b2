package dev.weir.bench.statistics;

import java.util.ArrayList;
import java.util.List;

/**
 * Decides from a process's figures whether it has warmed up: its rate is steady, its JVM has compiled the running code,
 * and the cost per record is stable. Confined to one thread.
 *
 * <p>A steady rate alone is not enough. With a free core for the JIT compiler, the rate soon reaches its maximum
 * although each record still costs twice as much as later.
 */
public final class WarmUp {

    /** Largest fraction of the processor time that the JIT compiler may use after the warm-up. */
    public static final double MAX_COMPILING = 0.1;

    /** The number of recent intervals examined for compilation and cost. */
    private static final int LATELY = 10;

    private final List<Slice> slices = new ArrayList<>();

    private record Slice(double rate, long records, long cpuNanos, long compileMillis) {
        double cost() {
            return cpuNanos / (double) Math.max(1, records);
        }
    }

    /**
     * Adds an interval.
     *
     * @param compileMillis the compilation time; -1 if the JVM does not report it
     */
    public void add(long lengthMillis, long records, long cpuNanos, long compileMillis) {
        slices.add(new Slice((double) records / lengthMillis, records, cpuNanos, compileMillis));
    }

    /** The number of added intervals. */
    public int size() {
        return slices.size();
    }

    /** Returns whether the process has warmed up. */
    public boolean isOver() {
        List<Slice> lately = slices.subList(Math.max(0, slices.size() - LATELY), slices.size());
        return SteadyState.of(rates(0)).steady()
                && !isCompiling(
                        lately.stream().mapToLong(Slice::compileMillis).sum(),
                        lately.stream().mapToLong(Slice::cpuNanos).sum())
                && !SteadyState.drifts(lately.stream().mapToDouble(Slice::cost).toArray());
    }

    /** Returns whether the rate or the cost per record drifts from the given interval on. */
    public boolean driftsFrom(int from) {
        return SteadyState.drifts(rates(from))
                || SteadyState.drifts(
                        slices.stream().skip(from).mapToDouble(Slice::cost).toArray());
    }

    /** Returns whether the JIT compiler's use of processor time distorts the measured costs. */
    public static boolean isCompiling(long compileMillis, long cpuNanos) {
        return compileMillis * 1e6 > MAX_COMPILING * cpuNanos;
    }

    private double[] rates(int from) {
        return slices.stream().skip(from).mapToDouble(Slice::rate).toArray();
    }
}
