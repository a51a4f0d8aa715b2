package dev.weir.driver;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.locks.LockSupport;
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
}
