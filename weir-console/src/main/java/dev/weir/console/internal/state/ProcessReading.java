package dev.weir.console.internal.state;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.metrics.MachineLook;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import org.jspecify.annotations.Nullable;

/**
 * CPU use, heap, allocation and garbage collections of this process at one moment. Immutable.
 *
 * @param cpuShare the fraction of the JVM's CPUs used by this process, 0 to 1; NaN if unknown
 * @param machineShare the fraction used by all processes; NaN if unknown
 * @param allocatedPerSecond the allocation rate in bytes per second; NaN if unknown
 * @param collections the number of garbage collections
 * @param collectionMillis the total time of garbage collections
 */
record ProcessReading(
        long atNanos,
        MachineLook machine,
        double cpuShare,
        double machineShare,
        MemoryUsage heap,
        long allocated,
        double allocatedPerSecond,
        long collections,
        long collectionMillis) {

    /** Reads the JDK's management beans, which takes a few microseconds each. */
    static ProcessReading after(@Nullable ProcessReading before) {
        long now = System.nanoTime();
        MachineLook machine = MachineLook.now();
        long allocated = allocatedBytes();
        double seconds = before == null ? Double.NaN : (now - before.atNanos) / 1e9;
        long count = 0;
        long millis = 0;
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            count += Math.max(0, collector.getCollectionCount());
            millis += Math.max(0, collector.getCollectionTime());
        }
        double cpu = before == null
                ? Double.NaN
                : (machine.processCpuNanos() - before.machine.processCpuNanos())
                        / (seconds * 1e9 * Math.max(1, machine.processors()));
        return new ProcessReading(
                now,
                machine,
                Double.isNaN(cpu) ? cpu : Math.clamp(cpu, 0.0, 1.0),
                machine.load(),
                ManagementFactory.getMemoryMXBean().getHeapMemoryUsage(),
                allocated,
                before == null || allocated < 0 ? Double.NaN : Math.max(0, allocated - before.allocated) / seconds,
                count,
                millis);
    }

    /** Returns the total number of bytes allocated; -1 if the JVM does not count them. */
    private static long allocatedBytes() {
        return ManagementFactory.getThreadMXBean() instanceof com.sun.management.ThreadMXBean threads
                        && threads.isThreadAllocatedMemorySupported()
                ? threads.getTotalThreadAllocatedBytes()
                : -1;
    }

    /** Writes the fields {@code cpu}, {@code heap}, {@code allocation} and {@code collections}. */
    void write(JsonGenerator json) throws IOException {
        json.writeObjectFieldStart("cpu");
        share(json, "process_share", cpuShare);
        share(json, "machine_share", machineShare);
        json.writeNumberField("processors", machine.processors());
        json.writeEndObject();
        json.writeObjectFieldStart("heap");
        json.writeNumberField("used_bytes", heap.getUsed());
        json.writeNumberField("committed_bytes", heap.getCommitted());
        if (heap.getMax() > 0) {
            json.writeNumberField("max_bytes", heap.getMax());
        }
        json.writeEndObject();
        json.writeObjectFieldStart("allocation");
        if (!Double.isNaN(allocatedPerSecond)) {
            json.writeNumberField("bytes_per_second", Math.round(allocatedPerSecond));
        }
        json.writeEndObject();
        json.writeObjectFieldStart("collections");
        json.writeNumberField("count", collections);
        json.writeNumberField("ms", collectionMillis);
        json.writeEndObject();
    }

    private static void share(JsonGenerator json, String name, double share) throws IOException {
        if (!Double.isNaN(share)) {
            json.writeNumberField(name, Math.round(share * 1000) / 1000.0);
        }
    }
}
