package dev.weir.driver;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.CompilationMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Reads the resources used by this process so far, without {@link HarnessThreads}. Thread-safe. */
final class Meters {
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final Path TASKS = Path.of("/proc/self/task");
    private static final ProcessTime TIME = new ProcessTime(TASKS, SYSTEM::getProcessCpuTime);

    private Meters() {}

    /** Takes a reading without context switches, which cost one file per thread. */
    static Usage quick() {
        return read(-1, -1);
    }

    /** Takes a complete reading. Context switches of ended threads are missing. */
    static Usage full() {
        Switches switches = Switches.read(TASKS);
        return read(switches.voluntary, switches.involuntary);
    }

    /** The context switches of the living threads; -1 if unknown. */
    record Switches(long voluntary, long involuntary) {
        private static final Switches UNKNOWN = new Switches(-1, -1);

        /** Reads the directory with one subdirectory per thread, as on Linux. */
        static Switches read(Path tasks) {
            long voluntary = 0;
            long involuntary = 0;
            try (DirectoryStream<Path> threads = Files.newDirectoryStream(tasks)) {
                for (Path thread : threads) {
                    for (String line : status(thread)) {
                        if (line.startsWith("voluntary_ctxt_switches:")) {
                            voluntary += number(line);
                        } else if (line.startsWith("nonvoluntary_ctxt_switches:")) {
                            involuntary += number(line);
                        }
                    }
                }
            } catch (IOException | DirectoryIteratorException e) { // the system does not have this directory
                return UNKNOWN;
            }
            return new Switches(voluntary, involuntary);
        }

        private static List<String> status(Path thread) {
            try {
                return Files.readAllLines(thread.resolve("status"));
            } catch (IOException e) { // the thread has ended meanwhile
                return List.of();
            }
        }

        private static long number(String line) {
            return Long.parseLong(line.substring(line.indexOf(':') + 1).strip());
        }
    }

    /** Returns the total time for which living threads were runnable and waited for a core; -1 if unknown. */
    static long waitedNanos() {
        long waited = 0;
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(TASKS)) {
            if (!Files.exists(TASKS.resolveSibling("schedstat"))) {
                return -1;
            }
            for (Path task : tasks) {
                waited += waitedNanos(task);
            }
        } catch (IOException | DirectoryIteratorException e) { // the system does not have this directory
            return -1;
        }
        return waited;
    }

    private static long waitedNanos(Path task) {
        try {
            // The fields are the time on a core, the time in the run queue and the number of time slices.
            return Long.parseLong(Files.readString(task.resolve("schedstat")).split("\\s+", -1)[1]);
        } catch (IOException e) { // the thread has ended meanwhile
            return 0;
        }
    }

    private static Usage read(long voluntary, long involuntary) {
        long gcCount = 0;
        long gcMillis = 0;
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            gcCount += Math.max(0, collector.getCollectionCount());
            gcMillis += Math.max(0, collector.getCollectionTime());
        }
        long direct = 0;
        for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
            direct += pool.getName().equals("direct") ? pool.getMemoryUsed() : 0;
        }
        Runtime runtime = Runtime.getRuntime();
        long harnessCpu = HarnessThreads.cpuNanos();
        long harnessAllocated = HarnessThreads.allocatedBytes();
        return new Usage(
                TIME.nanos() - harnessCpu,
                THREADS.getTotalThreadAllocatedBytes() - harnessAllocated,
                gcCount,
                gcMillis,
                voluntary,
                involuntary,
                runtime.totalMemory() - runtime.freeMemory(),
                direct,
                compileMillis());
    }

    /** Memory of the JVM outside the heap: classes and compiled code, not direct buffers. */
    static long nonHeapBytes() {
        return ManagementFactory.getMemoryMXBean().getNonHeapMemoryUsage().getUsed();
    }

    private static long compileMillis() {
        CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
        return compiler != null && compiler.isCompilationTimeMonitoringSupported()
                ? compiler.getTotalCompilationTime()
                : -1;
    }
}
