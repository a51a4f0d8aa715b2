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
 * The longest pauses of this process since they were last taken. A thread that sleeps for a few milliseconds at a time
 * notes by how much it woke up late, whoever held it up (the method of jHiccup); {@link SafepointLog} tells what the
 * virtual machine itself stopped for. Thread-safe; {@link #take} is for one thread.
 */
final class Pauses {
    /** Pauses of all threads, whether the virtual machine, the system or another process caused them. */
    static final String OF_PROCESS = "pause: process, longest ms";

    /** Pauses for the collector. */
    static final String OF_COLLECTOR = "pause: collector, longest ms";

    /** Time until the last thread had stopped for any pause of the virtual machine. */
    static final String TO_SAFEPOINT = "pause: to a safepoint, longest ms";

    // A shorter step sees shorter pauses and takes processor time from the library under test.
    private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final LongAccumulator longestNanos = new LongAccumulator(Long::max, 0);
    private final @Nullable SafepointLog safepoints;

    private Pauses(@Nullable SafepointLog safepoints) {
        this.safepoints = safepoints;
    }

    /** Starts to measure, until the process ends. What that takes of the processor does not count. */
    static Pauses start() {
        Pauses pauses = new Pauses(SafepointLog.open());
        Thread thread = new Thread(pauses::sleepAndNote, "weir-pauses");
        thread.setDaemon(true);
        Meters.exclude(thread);
        thread.start();
        return pauses;
    }

    private void sleepAndNote() {
        while (true) {
            long before = System.nanoTime();
            LockSupport.parkNanos(STEP_NANOS);
            longestNanos.accumulate(System.nanoTime() - before - STEP_NANOS);
        }
    }

    /** The figures since the last call, by name. Those of the virtual machine are missing where it tells none. */
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
     * The safepoints of this process, as its virtual machine logs them: a line for each, exact to the nanosecond. The
     * file has no name any more once it is open, so nothing is left behind. Confined to one thread.
     */
    static final class SafepointLog {
        private static final System.Logger LOG = System.getLogger(SafepointLog.class.getName());

        /** Line such as {@code Safepoint "G1PauseRemark", ..., Reaching safepoint: 91 ns, ..., Total: 912 ns}. */
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

        /** The longest of some safepoints; 0 of none. */
        record Longest(long collectorNanos, long reachingNanos) {
            static final Longest NONE = new Longest(0, 0);

            private Longest with(Matcher line) {
                long reaching = Long.parseLong(line.group(2));
                long total = COLLECTOR.matcher(line.group(1)).matches() ? Long.parseLong(line.group(3)) : 0;
                return new Longest(Math.max(collectorNanos, total), Math.max(reachingNanos, reaching));
            }
        }

        /** Makes the virtual machine log pauses from now on; null if it cannot. */
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
            } catch (IOException | JMException | RuntimeException e) { // Another virtual machine, or no room.
                LOG.log(System.Logger.Level.WARNING, "the virtual machine logs no safepoints: " + e);
                return null;
            }
        }

        /** The longest ones since the last call. */
        Longest take() {
            try {
                while (file.read(buffer) > 0) {
                    text.append(StandardCharsets.ISO_8859_1.decode(buffer.flip()));
                    buffer.clear();
                }
            } catch (IOException e) { // What was read before counts.
                LOG.log(System.Logger.Level.WARNING, "cannot read the log of safepoints: " + e);
            }
            Longest longest = Longest.NONE;
            int from = 0;
            for (int end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", from)) {
                Matcher line = LINE.matcher(text.substring(from, end));
                longest = line.find() ? longest.with(line) : longest;
                from = end + 1;
            }
            text.delete(0, from); // The rest of a line is still being written.
            return longest;
        }
    }
}
