package dev.weir.metrics;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The machine and the JVM at one moment, as the JDK's management beans tell it. Immutable. */
public final class MachineLook {

    private final Values values;

    private MachineLook(int processors, double processCpuNanos, double load, long pauseNanos) {
        this.values = new Values(processors, processCpuNanos, load, pauseNanos);
    }

    /** For tests of code that reads one. */
    public static MachineLook of(int processors, double processCpuNanos, double load, long pauseNanos) {
        return new MachineLook(processors, processCpuNanos, load, pauseNanos);
    }

    /** Processors that the JVM may use. */
    public int processors() {
        return values.processors;
    }

    /** Processor time that this process has used; NaN if not known. */
    public double processCpuNanos() {
        return values.processCpuNanos;
    }

    /** The share of the machine's (or container's) processors that was busy of late, 0 to 1; NaN if not known. */
    public double load() {
        return values.load;
    }

    /** Time for which collectors have stopped the application so far; of concurrent collectors the pauses alone. */
    public long pauseNanos() {
        return values.pauseNanos;
    }

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

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof MachineLook that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return values.toString().replaceFirst("Values", "MachineLook");
    }

    private record Values(int processors, double processCpuNanos, double load, long pauseNanos) {}
}
