package dev.weir.driver;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Processor time of all threads of a process, collector and compilers included, by the kernel's nanoseconds for each
 * thread. Thread-safe.
 *
 * <p>What a process is said to have used comes in ticks of 10 ms, of which a lean consumer at a planned rate has few.
 * Threads that end between two readings take their last moments along: those are added by the ticks, once they make
 * up two of them.
 */
final class ProcessTime {

    private static final long TWO_TICKS_NANOS = 20_000_000;

    private static final int NICENESS = 16; // of the fields behind the name

    private final Path tasks;
    private final LongSupplier ticksNanos;

    private final ReentrantLock reading = new ReentrantLock();

    // Under the lock.
    private final Map<String, Long> living = new HashMap<>();
    private long endedNanos;

    /**
     * Reads the times of a process's threads.
     *
     * @param tasks a folder for each thread, as Linux has them; elsewhere ticks are all there is
     * @param ticksNanos the whole process, whatever the system's grain is
     */
    ProcessTime(Path tasks, LongSupplier ticksNanos) {
        this.tasks = tasks;
        this.ticksNanos = ticksNanos;
    }

    /**
     * The nice value of a process, by which the system prefers others to it, or it to others if it is negative; null
     * where the system does not say.
     *
     * @param stat its file below {@code /proc}
     */
    static @Nullable Double niceness(Path stat) {
        try {
            String said = Files.readString(stat);
            // The name of the program, in parentheses, may hold anything.
            String[] fields = said.substring(said.lastIndexOf(')') + 2).split(" ", -1);
            return Double.valueOf(fields[NICENESS]);
        } catch (IOException | RuntimeException e) {
            return null;
        }
    }

    /** Processor time since the process began. */
    long nanos() {
        reading.lock();
        try {
            return read();
        } finally {
            reading.unlock();
        }
    }

    private long read() {
        // Before the threads: what they run for in between would be counted twice.
        long ticks = ticksNanos.getAsLong();
        Map<String, Long> now = new HashMap<>();
        long sum = 0;
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(tasks)) {
            for (Path thread : threads) {
                long nanos = nanos(thread);
                if (nanos >= 0) {
                    now.put(String.valueOf(thread.getFileName()), nanos);
                    sum += nanos;
                }
            }
        } catch (IOException | DirectoryIteratorException e) { // No such file system.
            return ticks;
        }
        if (sum == 0) { // A kernel that does not count them.
            return ticks;
        }
        for (Map.Entry<String, Long> before : living.entrySet()) {
            if (!now.containsKey(before.getKey())) {
                endedNanos += before.getValue();
            }
        }
        living.clear();
        living.putAll(now);
        long missed = ticks - sum - endedNanos;
        if (missed > TWO_TICKS_NANOS) {
            endedNanos += missed;
        }
        return sum + endedNanos;
    }

    /** Processor time of one thread; -1 if it has ended meanwhile. */
    private static long nanos(Path thread) {
        try {
            String times = Files.readString(thread.resolve("schedstat"));
            return Long.parseLong(times.substring(0, times.indexOf(' ')));
        } catch (IOException e) {
            return -1;
        }
    }
}
