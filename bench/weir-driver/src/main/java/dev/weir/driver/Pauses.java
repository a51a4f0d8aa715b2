package dev.weir.driver;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;

/**
 * Measures the longest pauses of this process since the last call of {@link #take}. A thread that sleeps a few
 * milliseconds at a time records its late wake-ups, whatever their cause, as jHiccup does. {@link SafepointLog} reports
 * the JVM's own pauses. Thread-safe; {@link #take} is confined to one thread.
 */
final class Pauses {
    /** Pauses of all threads, whether caused by the JVM, the system or another process. */
    static final String OF_PROCESS = "pause: process, longest ms";

    static final String OF_COLLECTOR = "pause: collector, longest ms";

    /** The time from the JVM's request for a pause, for any purpose, until the last thread has stopped. */
    static final String TO_SAFEPOINT = "pause: to a safepoint, longest ms";

    // A shorter sleep would detect shorter pauses, but take processor time from the library.
    private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final LongAccumulator longestNanos = new LongAccumulator(Long::max, 0);
    private final @Nullable SafepointLog safepoints;

    private Pauses(@Nullable SafepointLog safepoints) {
        this.safepoints = safepoints;
    }

    /** Starts measuring pauses until the process ends. */
    static Pauses start() {
        Pauses pauses = new Pauses(SafepointLog.open());
        HarnessThreads.start("weir-pauses", pauses::sleepAndNote);
        return pauses;
    }

    private void sleepAndNote() {
        while (true) {
            long before = System.nanoTime();
            LockSupport.parkNanos(STEP_NANOS);
            longestNanos.accumulate(System.nanoTime() - before - STEP_NANOS);
        }
    }

    /** Returns the figures since the last call, by name. Figures of the JVM are missing if it reports none. */
    Map<String, Double> take() {
        Map<String, Double> figures = new TreeMap<>();
        figures.put(OF_PROCESS, longestNanos.getThenReset() / 1e6);
        if (safepoints != null) {
            SafepointLog.Longest longest = safepoints.take();
            figures.put(OF_COLLECTOR, longest.collectorNanos() / 1e6);
            figures.put(TO_SAFEPOINT, longest.reachingNanos() / 1e6);
        }
        return figures;
    }

    /**
     * The safepoints of this process, from a log of the JVM with one line per safepoint. The file is unlinked once it
     * is open. Confined to one thread.
     */
    static final class SafepointLog {
        private static final System.Logger LOG = System.getLogger(SafepointLog.class.getName());

        /** A line such as {@code Safepoint "G1PauseRemark", ..., Reaching safepoint: 91 ns, ..., Total: 912 ns}. */
        private static final Pattern LINE =
                Pattern.compile("Safepoint \"([^\"]+)\".*Reaching safepoint: +(\\d+) ns.*Total: +(\\d+) ns");

        private static final Pattern COLLECTOR =
                Pattern.compile("(?:G1|Z|X|Shenandoah|Parallel|Serial|Gen)[A-Z].*|.*Collect.*");

        private final FileChannel file;
        private final ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
        private final StringBuilder text = new StringBuilder();

        SafepointLog(FileChannel file) {
            this.file = file;
        }

        /** The longest times of several safepoints; 0 if there were none. */
        record Longest(long collectorNanos, long reachingNanos) {
            static final Longest NONE = new Longest(0, 0);

            private Longest with(Matcher line) {
                long reaching = Long.parseLong(line.group(2));
                long total = COLLECTOR.matcher(line.group(1)).matches() ? Long.parseLong(line.group(3)) : 0;
                return new Longest(Math.max(collectorNanos, total), Math.max(reachingNanos, reaching));
            }
        }

        /** Makes the JVM log safepoints from now on; null if it cannot. */
        static @Nullable SafepointLog open() {
            try {
                Path folder = Files.createTempDirectory("weir-safepoints");
                Path path = folder.resolve("log");
                try {
                    String[] wanted = {
                        "output=file=" + path, "output_options=filecount=0", "what=safepoint=info", "decorators=none"
                    };
                    Object answer = ManagementFactory.getPlatformMBeanServer()
                            .invoke(
                                    new ObjectName("com.sun.management:type=DiagnosticCommand"),
                                    "vmLog",
                                    new Object[] {wanted},
                                    new String[] {String[].class.getName()});
                    if (!Files.exists(path)) {
                        LOG.log(System.Logger.Level.WARNING, "the virtual machine logs no safepoints: " + answer);
                        return null;
                    }
                    return new SafepointLog(FileChannel.open(path));
                } finally {
                    Files.deleteIfExists(path);
                    Files.deleteIfExists(folder);
                }
            } catch (IOException | JMException | RuntimeException e) {
                // This JVM lacks the diagnostic command, or the disk is full.
                LOG.log(System.Logger.Level.WARNING, "the virtual machine logs no safepoints: " + e);
                return null;
            }
        }

        /** Returns the longest times since the last call. */
        Longest take() {
            try {
                while (file.read(buffer) > 0) {
                    text.append(StandardCharsets.ISO_8859_1.decode(buffer.flip()));
                    buffer.clear();
                }
            } catch (IOException e) {
                // Lines that were read before the failure still count.
                LOG.log(System.Logger.Level.WARNING, "cannot read the log of safepoints: " + e);
            }
            Longest longest = Longest.NONE;
            int from = 0;
            for (int end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", from)) {
                Matcher line = LINE.matcher(text.substring(from, end));
                longest = line.find() ? longest.with(line) : longest;
                from = end + 1;
            }
            text.delete(0, from); // keeps the beginning of an incomplete line
            return longest;
        }
    }
}
