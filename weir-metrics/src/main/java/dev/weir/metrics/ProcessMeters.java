package dev.weir.metrics;

import com.sun.management.OperatingSystemMXBean;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The processors and threads of this process, under the names and with the descriptions that Micrometer's {@code
 * ProcessorMetrics} and {@code JvmThreadMetrics} have. Those ask the JVM anew for each figure: six times for the states
 * of all threads, and twice for files that tell a container's share of the processors. These look once for all
 * figures of a scrape. Thread-safe.
 */
final class ProcessMeters implements MeterBinder {

    /** The figures of one scrape are of one look. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final ReentrantLock lock = new ReentrantLock();

    // Under the lock.
    private @Nullable Look last;

    /** The share of the processors that this process used since the look before, and the states of its threads. */
    private record Look(long atNanos, MachineLook machine, double usage, Map<Thread.State, Integer> byState) {}

    @Override
    public void bindTo(MeterRegistry registry) {
        bindProcessors(registry);
        bindThreads(registry);
    }

    private void bindProcessors(MeterRegistry registry) {
        gauge(
                registry,
                "system.cpu.count",
                "The number of processors available to the Java virtual machine",
                () -> look().machine.processors());
        var system = ManagementFactory.getOperatingSystemMXBean();
        if (system.getSystemLoadAverage() >= 0) {
            gauge(
                    registry,
                    "system.load.average.1m",
                    "The sum of the number of runnable entities queued to available processors and the number of"
                            + " runnable entities running on the available processors averaged over a period of time",
                    system::getSystemLoadAverage);
        }
        if (system instanceof OperatingSystemMXBean known) {
            gauge(
                    registry,
                    "system.cpu.usage",
                    "The \"recent cpu usage\" of the system the application is running in",
                    () -> look().machine.load());
            gauge(
                    registry,
                    "process.cpu.usage",
                    "The \"recent cpu usage\" for the Java Virtual Machine process",
                    () -> look().usage);
            FunctionCounter.builder("process.cpu.time", known, OperatingSystemMXBean::getProcessCpuTime)
                    .description("The \"cpu time\" used by the Java Virtual Machine process")
                    .baseUnit("ns")
                    .register(registry);
        }
    }

    private void bindThreads(MeterRegistry registry) {
        threadGauge(
                registry,
                "jvm.threads.peak",
                "The peak live thread count since the Java virtual machine started or peak was reset",
                ThreadMXBean::getPeakThreadCount);
        threadGauge(
                registry,
                "jvm.threads.daemon",
                "The current number of live daemon threads",
                ThreadMXBean::getDaemonThreadCount);
        threadGauge(
                registry,
                "jvm.threads.live",
                "The current number of live threads including both daemon and non-daemon threads",
                ThreadMXBean::getThreadCount);
        FunctionCounter.builder("jvm.threads.started", threads, ThreadMXBean::getTotalStartedThreadCount)
                .description("The total number of application threads started in the JVM")
                .baseUnit("threads")
                .register(registry);
        for (Thread.State state : Thread.State.values()) {
            Gauge.builder("jvm.threads.states", () -> look().byState.getOrDefault(state, 0))
                    .tags("state", state.name().toLowerCase(Locale.ROOT).replace('_', '-'))
                    .description("The current number of threads")
                    .baseUnit("threads")
                    .register(registry);
        }
    }

    private void threadGauge(
            MeterRegistry registry, String name, String description, ToIntFunction<ThreadMXBean> figure) {
        Gauge.builder(name, threads, figure::applyAsInt)
                .description(description)
                .baseUnit("threads")
                .register(registry);
    }

    private static void gauge(MeterRegistry registry, String name, String description, Supplier<Number> figure) {
        Gauge.builder(name, figure).description(description).register(registry);
    }

    private Look look() {
        lock.lock();
        try {
            Look before = last;
            long now = System.nanoTime();
            if (before != null && now - before.atNanos < LOOK_NANOS) {
                return before;
            }
            MachineLook machine = MachineLook.now();
            double usage = before == null
                    ? usage(machine.processCpuNanos(), nanosSinceStart(), machine)
                    : usage(
                            machine.processCpuNanos() - before.machine.processCpuNanos(),
                            now - before.atNanos,
                            machine);
            Look look = new Look(now, machine, usage, states());
            last = look;
            return look;
        } finally {
            lock.unlock();
        }
    }

    private static long nanosSinceStart() {
        return TimeUnit.MILLISECONDS.toNanos(
                Math.max(1, ManagementFactory.getRuntimeMXBean().getUptime()));
    }

    private static double usage(double cpuNanos, long nanos, MachineLook machine) {
        return Math.clamp(cpuNanos / nanos / machine.processors(), 0, 1);
    }

    private Map<Thread.State, Integer> states() {
        Map<Thread.State, Integer> counts = new EnumMap<>(Thread.State.class);
        for (ThreadInfo thread : threads.getThreadInfo(threads.getAllThreadIds())) {
            if (thread != null) { // Ended meanwhile.
                counts.merge(thread.getThreadState(), 1, Integer::sum);
            }
        }
        return counts;
    }
}
