package dev.weir.bench.statistics;

import java.util.ArrayList;
import java.util.List;

/**
 * Decides whether a process has warmed up, from its reports: its rate is steady, its virtual machine has compiled the
 * running code, and the cost per record is stable. Confined to one thread.
 *
 * <p>The rate alone is steady too early: with a free core for the compiler it is as high as it gets while each record
 * costs twice what it will.
 */
public final class WarmUp {

    /** A compiler may take so much of the processor time of a warm process. */
    public static final double MAX_COMPILING = 0.1;

    /** The number of intervals that count as late ones. */
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
     * @param compileMillis -1 where a virtual machine does not say
     */
    public void add(long lengthMillis, long records, long cpuNanos, long compileMillis) {
        slices.add(new Slice(records * 1e3 / lengthMillis, records, cpuNanos, compileMillis));
    }

    /** The number of intervals. */
    public int size() {
        return slices.size();
    }

    /** Returns whether what follows may be measured. */
    public boolean isOver() {
        List<Slice> lately = slices.subList(Math.max(0, slices.size() - LATELY), slices.size());
        return SteadyState.of(rates(0)).steady()
                && !isCompiling(
                        lately.stream().mapToLong(Slice::compileMillis).sum(),
                        lately.stream().mapToLong(Slice::cpuNanos).sum())
                && !SteadyState.drifts(lately.stream().mapToDouble(Slice::cost).toArray());
    }

    /** Returns whether rate or cost go up or down from that interval on. */
    public boolean driftsFrom(int from) {
        return SteadyState.drifts(rates(from))
                || SteadyState.drifts(
                        slices.stream().skip(from).mapToDouble(Slice::cost).toArray());
    }

    /** Returns whether compilers took so much of the processor time that the measured costs include theirs. */
    public static boolean isCompiling(long compileMillis, long cpuNanos) {
        return compileMillis * 1e6 > MAX_COMPILING * cpuNanos;
    }

    private double[] rates(int from) {
        return slices.stream().skip(from).mapToDouble(Slice::rate).toArray();
    }
}
