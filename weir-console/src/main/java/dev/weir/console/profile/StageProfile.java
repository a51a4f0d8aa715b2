package dev.weir.console.profile;

import java.util.List;

/**
 * What a stage's own functions cost while a profile was recorded. Immutable.
 *
 * @param name the stage's name; with the pipeline's before it if the process runs several
 * @param cpuShare the share of all CPU samples, 0 to 1
 * @param top the methods of the user's code that took most of it
 * @param allocatedBytes what they allocated, estimated from samples
 * @param allocation by class, the largest first
 * @param blocked what they waited for, the longest first; the parks of virtual threads are not recorded by the JDK
 */
public record StageProfile(
        String name,
        double cpuShare,
        List<Method> top,
        long allocatedBytes,
        List<Allocation> allocation,
        List<Wait> blocked) {

    /**
     * A method.
     *
     * @param method its class and name
     * @param selfShare the share of the stage's CPU samples that were in it, or in what the JDK did for it, 0 to 1
     * @param totalShare the share that were in it or in what it called
     */
    public record Method(String method, double selfShare, double totalShare) {}

    /**
     * A class that was allocated.
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
}
