package dev.weir.console.profile;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The cost of a stage's user functions while a profile was recorded. Immutable. */
public final class StageProfile {

    private final Values values;

    private StageProfile(
            String name,
            double cpuShare,
            List<Method> top,
            long allocatedBytes,
            List<Allocation> allocation,
            List<Wait> blocked) {
        this.values = new Values(name, cpuShare, top, allocatedBytes, allocation, blocked);
    }

    /** Creates a stage profile, for tests of code that reads profiles. */
    public static StageProfile of(
            String name,
            double cpuShare,
            List<Method> top,
            long allocatedBytes,
            List<Allocation> allocation,
            List<Wait> blocked) {
        return new StageProfile(name, cpuShare, top, allocatedBytes, allocation, blocked);
    }

    /** The stage's name, prefixed with the pipeline's name if the process runs several pipelines. */
    public String name() {
        return values.name;
    }

    /** The stage's share of all CPU samples, 0 to 1. */
    public double cpuShare() {
        return values.cpuShare;
    }

    /** The methods in the stage's user code that took the most time, counting CPU time and waits. */
    public List<Method> top() {
        return values.top;
    }

    /** The number of bytes allocated, estimated from samples. */
    public long allocatedBytes() {
        return values.allocatedBytes;
    }

    /** The allocation by class, largest first. */
    public List<Allocation> allocation() {
        return values.allocation;
    }

    /** The waits, longest first. The JDK does not record parks of virtual threads. */
    public List<Wait> blocked() {
        return values.blocked;
    }

    /**
     * A method.
     *
     * @param method the method's class and name
     * @param selfShare the fraction of the stage's CPU samples in the method itself or in JDK code that it called, 0 to
     *     1
     * @param totalShare the fraction in the method and its callees
     * @param selfMillis the time that all threads spent in the method itself: CPU samples times their period, plus
     *     recorded waits
     * @param totalMillis the time that all threads spent in the method and its callees
     */
    public record Method(String method, double selfShare, double totalShare, long selfMillis, long totalMillis) {}

    /**
     * A class whose objects were allocated.
     *
     * @param type the name of the class
     */
    public record Allocation(String type, long bytes) {}

    /**
     * The time for which threads of the stage waited.
     *
     * @param kind the kind of wait: park, monitor, wait, sleep, pinned, socket or file
     * @param at the method that waited
     */
    public record Wait(String kind, String at, long millis) {}

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof StageProfile that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return values.toString().replaceFirst("Values", "StageProfile");
    }

    private record Values(
            String name,
            double cpuShare,
            List<Method> top,
            long allocatedBytes,
            List<Allocation> allocation,
            List<Wait> blocked) {}
}
