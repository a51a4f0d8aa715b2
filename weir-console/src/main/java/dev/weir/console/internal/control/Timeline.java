package dev.weir.console.internal.control;

import dev.weir.console.TimelineEntry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/** The last {@value #MOST} requested changes, in at most {@value #MOST_BYTES} bytes. Thread-safe. */
public final class Timeline {

    static final int MOST = 10_000;

    /** Memory for all entries together, counted as if each character took two bytes. */
    static final int MOST_BYTES = 4 << 20;

    /** The longest key and the longest value; HTTP requests allow no longer ones. */
    private static final int MOST_TEXT = 1_000;

    /** The longest reason of a refusal. */
    private static final int MOST_REASON = 500;

    /** An entry's objects without their characters. */
    private static final int ENTRY_BYTES = 256;

    private final ReentrantLock lock = new ReentrantLock();

    // Under the lock.
    private final Deque<TimelineEntry> entries = new ArrayDeque<>();
    private long bytes;

    /** Adds an entry with long texts shortened; drops the oldest if there are too many. */
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
            bytes += bytesOf(kept);
            while (entries.size() > MOST || bytes > MOST_BYTES) {
                bytes -= bytesOf(entries.removeFirst());
            }
        } finally {
            lock.unlock();
        }
    }

    /** Shortens the reason of a refusal to the largest allowed length. */
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
