package dev.weir.metrics;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;

/**
 * The machine and the JVM at one moment, as the JDK's management beans tell it. Immutable.
 *
 * @param processors processors that the JVM may use
 * @param processCpuNanos processor time that this process has used; NaN if not known
 * @param load the share of the machine's (or container's) processors that was busy of late, 0 to 1; NaN if not known
 * @param pauseNanos time for which collectors have stopped the application so far; of concurrent collectors the pauses
 *     alone
 */
public record MachineLook(int processors, double processCpuNanos, double load, long pauseNanos) {

    /** A machine of which nothing but its size is known: rules that need more do not apply. */
    public static MachineLook unknown(int processors) {
        return new MachineLook(processors, Double.NaN, Double.NaN, 0);
    }

    /** This machine now. Any thread. */
    public static MachineLook now() {
        long cpuNanos = -1;
        double load = -1;
        if (ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system) {
            cpuNanos = system.getProcessCpuTime();
            load = system.getCpuLoad();
        }
        return new MachineLook(
                Runtime.getRuntime().availableProcessors(),
                cpuNanos < 0 ? Double.NaN : cpuNanos,
                load < 0 ? Double.NaN : load,
                pausedNanos());
    }

    private static long pausedNanos() {
        long millis = 0;
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            // Beans of concurrent work are named so: "ZGC Cycles", "Shenandoah Cycles", "G1 Concurrent GC".
            boolean concurrent = collector.getName().endsWith("Cycles")
                    || collector.getName().contains("Concurrent");
            millis += concurrent ? 0 : Math.max(0, collector.getCollectionTime());
        }
        return TimeUnit.MILLISECONDS.toNanos(millis);
    }
}
