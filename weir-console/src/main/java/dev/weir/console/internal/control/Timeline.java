package dev.weir.console.internal.control;

import dev.weir.console.TimelineEntry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/** The changes that were asked for, the last {@value #MOST} of them. Thread-safe. */
public final class Timeline {

    static final int MOST = 10_000;

    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<TimelineEntry> entries = new ArrayDeque<>();

    /** Adds one; the oldest goes if there are too many. */
    public void add(TimelineEntry entry) {
        lock.lock();
        try {
            if (entries.size() == MOST) {
                entries.removeFirst();
            }
            entries.add(entry);
        } finally {
            lock.unlock();
        }
    }

    /** The entries so far, oldest first. */
    public List<TimelineEntry> entries() {
        lock.lock();
        try {
            return new ArrayList<>(entries);
        } finally {
            lock.unlock();
        }
    }
}
