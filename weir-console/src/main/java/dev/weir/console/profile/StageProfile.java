package dev.weir.console.profile;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The cost of a stage's own functions while a profile was recorded. Immutable. */
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

    /** Creates a stage profile, for tests of code that reads one. */
    public static StageProfile of(
            String name,
            double cpuShare,
            List<Method> top,
            long allocatedBytes,
            List<Allocation> allocation,
            List<Wait> blocked) {
        return new StageProfile(name, cpuShare, top, allocatedBytes, allocation, blocked);
    }

    /** The stage's name; prefixed with the pipeline's name if the process runs several. */
    public String name() {
        return values.name;
    }

    /** The share of all CPU samples, 0 to 1. */
    public double cpuShare() {
        return values.cpuShare;
    }

    /** The methods of the user's code that took most of its CPU or wall time. */
    public List<Method> top() {
        return values.top;
    }

    /** Bytes allocated, estimated from samples. */
    public long allocatedBytes() {
        return values.allocatedBytes;
    }

    /** Allocation by class, the largest first. */
    public List<Allocation> allocation() {
        return values.allocation;
    }

    /** Waits, the longest first; the JDK does not record parks of virtual threads. */
    public List<Wait> blocked() {
        return values.blocked;
    }

    /**
     * A method.
     *
     * @param method its class and name
     * @param selfShare part of the stage's CPU samples in the method itself or in JDK code it called, 0 to 1
     * @param totalShare part in the method and its callees
     * @param selfMillis the wall time of all threads in it: CPU samples times their period, and recorded waits
     * @param totalMillis the wall time in the method and its callees
     */
    public record Method(String method, double selfShare, double totalShare, long selfMillis, long totalMillis) {}

    /**
     * An allocated class.
     *
     * @param type its name
     */
    public record Allocation(String type, long bytes) {}

    /**
     * Time in which a thread of the stage waited.
     *
     * @param kind park, monitor, wait, sleep, pinned, socket or file
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
