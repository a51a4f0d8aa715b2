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
 * The processor time of a process: the sum of the times of all its threads, including garbage collector and compiler
 * threads. The kernel counts the time of each thread in nanoseconds. Thread-safe.
 *
 * <p>The kernel also counts the total time of the process, in ticks of 10 ms. The sum lacks threads that have ended, so
 * it is raised if it is more than two ticks below the total.
 */
final class ProcessTime {

    private static final long TWO_TICKS_NANOS = 20_000_000;

    private static final int NICENESS = 16; // index among the fields after the name

    private final Path tasks;
    private final LongSupplier ticksNanos;

    private final ReentrantLock reading = new ReentrantLock();

    // Guarded by the lock.
    private final Map<String, Long> living = new HashMap<>();
    private long endedNanos;

    /**
     * Creates a reader for the threads of one process.
     *
     * @param tasks the directory with one subdirectory per thread, as on Linux. On systems without it, only
     *     {@code ticksNanos} is used.
     * @param ticksNanos the time of the whole process, at the system's resolution
     */
    ProcessTime(Path tasks, LongSupplier ticksNanos) {
        this.tasks = tasks;
        this.ticksNanos = ticksNanos;
    }

    /**
     * Returns the nice value of a process; null if unknown. Lower values have precedence.
     *
     * @param stat the process's file below {@code /proc}
     */
    static @Nullable Double niceness(Path stat) {
        try {
            String said = Files.readString(stat);
            // The name of the program is in parentheses and may contain any characters.
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
        // Read the ticks before the threads, so that the time in between counts once.
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
        } catch (IOException | DirectoryIteratorException e) {
            // The system does not have this directory.
            return ticks;
        }
        // The kernel does not count nanoseconds per thread.
        if (sum == 0) {
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

    /** Returns the processor time of one thread; -1 if the thread has ended. */
    private static long nanos(Path thread) {
        try {
            String times = Files.readString(thread.resolve("schedstat"));
            return Long.parseLong(times.substring(0, times.indexOf(' ')));
        } catch (IOException e) {
            return -1;
        }
    }
}
