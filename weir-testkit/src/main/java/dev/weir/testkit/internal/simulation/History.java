package dev.weir.testkit.internal.simulation;

import dev.weir.stream.spi.Clock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The history of a simulated run, one line per event. Events of pipeline threads between two events of the simulation
 * are sorted, so equal runs have equal histories. Thread-safe.
 */
final class History {

    private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

    private final Clock clock;
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private final List<String> lines = new ArrayList<>();
    private final List<String> sinceMove = new ArrayList<>();

    History(Clock clock) {
        this.clock = clock;
    }

    void world(String what) {
        lock.lock();
        try {
            flush();
            lines.add(stamped(what));
        } finally {
            lock.unlock();
        }
    }

    void pipeline(String what) {
        lock.lock();
        try {
            sinceMove.add(stamped(what));
        } finally {
            lock.unlock();
        }
    }

    private String stamped(String what) {
        return String.format(Locale.ROOT, "%11.6f s  %s", clock.nanoTime() / NANOS_PER_SECOND, what);
    }

    private void flush() {
        Collections.sort(sinceMove);
        lines.addAll(sinceMove);
        sinceMove.clear();
    }

    List<String> lines() {
        lock.lock();
        try {
            flush();
            return List.copyOf(lines);
        } finally {
            lock.unlock();
        }
    }
}
