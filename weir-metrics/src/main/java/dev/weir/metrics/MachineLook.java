package dev.weir.metrics;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A reading of the machine and the JVM from the JDK's management beans. Immutable. */
public final class MachineLook {

    /** Words in the names of concurrent collectors: "ZGC Cycles", "Shenandoah Cycles", "G1 Concurrent GC". */
    private static final List<String> CONCURRENT = List.of("Cycles", "Concurrent");

    private static final List<GarbageCollectorMXBean> PAUSING = ManagementFactory.getGarbageCollectorMXBeans().stream()
            .filter(collector -> CONCURRENT.stream().noneMatch(collector.getName()::contains))
            .toList();

    private static final @Nullable OperatingSystemMXBean SYSTEM =
            ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system ? system : null;

    /** Time for which a reading of the CPUs is used. */
    private static final long MOST_NANOS = TimeUnit.MILLISECONDS.toNanos(950);

    /** Time for which the first reading is used. */
    private static final long FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final AtomicReference<@Nullable Size> SIZE = new AtomicReference<>();

    /**
     * The number of CPUs and their load at one moment.
     *
     * @param validNanos how long the reading may be used
     */
    private record Size(long atNanos, long validNanos, int processors, double load) {

        static Size after(@Nullable Size last) {
            long now = System.nanoTime();
            double load = SYSTEM == null ? -1 : SYSTEM.getCpuLoad();
            long valid = last == null || now - last.atNanos >= 5 * MOST_NANOS
                    ? FIRST_NANOS
                    : Math.min(MOST_NANOS, 2 * last.validNanos);
            return new Size(now, valid, Runtime.getRuntime().availableProcessors(), load < 0 ? Double.NaN : load);
        }

        boolean isOld() {
            return System.nanoTime() - atNanos >= validNanos;
        }
    }

    private final Values values;

    private MachineLook(int processors, double processCpuNanos, double load, long pauseNanos) {
        this.values = new Values(processors, processCpuNanos, load, pauseNanos);
    }

    /** Creates a reading, for tests of code that uses readings. */
    public static MachineLook of(int processors, double processCpuNanos, double load, long pauseNanos) {
        return new MachineLook(processors, processCpuNanos, load, pauseNanos);
    }

    /** The number of CPUs that the JVM may use. */
    public int processors() {
        return values.processors;
    }

    /** The CPU time that this process has used; NaN if unknown. */
    public double processCpuNanos() {
        return values.processCpuNanos;
    }

    /**
     * The fraction of the CPU capacity of the machine or container that was in use during a recent second, 0 to 1; NaN
     * if unknown.
     */
    public double load() {
        return values.load;
    }

    /**
     * The total time for which garbage collectors have paused the application. For concurrent collectors, only their
     * pauses are counted.
     */
    public long pauseNanos() {
        return values.pauseNanos;
    }

    /** Returns a reading that contains only the number of CPUs. Rules that need more information do not apply to it. */
    public static MachineLook unknown(int processors) {
        return new MachineLook(processors, Double.NaN, Double.NaN, 0);
    }

    /** Takes a reading of this machine. May be called by any thread. */
    public static MachineLook now() {
        long cpuNanos = SYSTEM == null ? -1 : SYSTEM.getProcessCpuTime();
        Size of = size();
        return new MachineLook(of.processors, cpuNanos < 0 ? Double.NaN : cpuNanos, of.load, pausedNanos());
    }

    /** Returns the number of CPUs and their load. Concurrent callers may both query the JDK. */
    private static Size size() {
        Size last = SIZE.get();
        if (last != null && !last.isOld()) {
            return last;
        }
        Size now = Size.after(last);
        SIZE.set(now);
        return now;
    }

    private static long pausedNanos() {
        long millis = 0;
        for (GarbageCollectorMXBean collector : PAUSING) {
            millis += Math.max(0, collector.getCollectionTime());
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
