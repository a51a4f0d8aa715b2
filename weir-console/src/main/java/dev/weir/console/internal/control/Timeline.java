package dev.weir.console.internal.control;

import dev.weir.console.TimelineEntry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/** The last {@value #MOST} requested changes, limited to {@value #MOST_BYTES} bytes. Thread-safe. */
public final class Timeline {

    static final int MOST = 10_000;

    /** Memory limit for all entries, with two bytes per character. */
    static final int MOST_BYTES = 4 << 20;

    /** Maximum length of a key and of a value. HTTP requests with longer texts are rejected. */
    private static final int MOST_TEXT = 1_000;

    private static final int MOST_REASON = 500;

    /** Size of an entry without its characters. */
    private static final int ENTRY_BYTES = 256;

    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock
    private final Deque<TimelineEntry> entries = new ArrayDeque<>();
    private long bytes;
    private long count;

    /** Adds an entry with its long texts shortened. Drops the oldest entries if there are too many. */
    public void add(TimelineEntry entry) {
        TimelineEntry kept = TimelineEntry.of(
                entry.at(),
                entry.millis(),
                shortened(entry.key(), MOST_TEXT),
                shortened(entry.value(), MOST_TEXT),
                entry.by(),
                reason(entry.refused()));
        lock.lock();
        try {
            entries.add(kept);
            count++;
            bytes += bytesOf(kept);
            while (entries.size() > MOST || bytes > MOST_BYTES) {
                bytes -= bytesOf(entries.removeFirst());
            }
        } finally {
            lock.unlock();
        }
    }

    static String reason(String text) {
        return shortened(text, MOST_REASON);
    }

    private static String shortened(String text, int most) {
        return text.length() <= most ? text : text.substring(0, most - 3) + "...";
    }

    private static long bytesOf(TimelineEntry entry) {
        return ENTRY_BYTES
                + 2L
                        * (entry.key().length()
                                + entry.value().length()
                                + entry.refused().length());
    }

    /** Returns the number of all entries so far, including the dropped ones. */
    public long count() {
        lock.lock();
        try {
            return count;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the entries, oldest first. */
    public List<TimelineEntry> entries() {
        lock.lock();
        try {
            return new ArrayList<>(entries);
        } finally {
            lock.unlock();
        }
    }
}
