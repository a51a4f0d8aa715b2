package dev.weir.console.internal.state;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The readings of the last 15 minutes as text. Readers can wait for the next one. Thread-safe. */
public final class History {

    /** The number of readings kept: one per second for 15 minutes. */
    static final int MOST = 15 * 60;

    /** Maximum number of characters of all readings. It bounds the memory for pipelines with many stages. */
    static final int MOST_CHARS = 16 << 20;

    /**
     * A reading.
     *
     * @param number the number of the reading, starting at 1
     * @param text the brief form, on one line
     */
    public record Entry(long number, String text) {}

    /**
     * New readings for one reader.
     *
     * @param entries oldest first; empty if there were none in time
     * @param state full form of the last reading as a line in UTF-8, shared by all readers
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record News(List<Entry> entries, byte[] state) {}

    private static final byte[] NONE = {};

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition added = lock.newCondition();
    private final Deque<Entry> entries = new ArrayDeque<>();
    private long chars;
    private byte @Nullable [] state;
    private int readers;
    private boolean closed;

    void add(Entry entry, String full) {
        lock.lock();
        try {
            entries.add(entry);
            chars += entry.text().length();
            while (entries.size() > MOST || (chars > MOST_CHARS && entries.size() > 1)) {
                chars -= entries.removeFirst().text().length();
            }
            state = Json.line(full);
            added.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits at most {@code longest} for readings after number {@code seen}. Returns null if there will be no more. A
     * {@code seen} above the newest number is from an earlier process: then all readings are new.
     */
    public @Nullable News after(long seen, Duration longest) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long newest = entries.isEmpty() ? 0 : entries.getLast().number();
            long number = seen > newest ? 0 : seen;
            long left = longest.toNanos();
            readers++;
            try {
                while (left > 0
                        && !closed
                        && (entries.isEmpty() || entries.getLast().number() <= number)) {
                    left = added.awaitNanos(left);
                }
            } finally {
                readers--;
            }
            byte[] full = state;
            if (closed) {
                return null;
            }
            return new News(
                    entries.stream().filter(entry -> entry.number() > number).toList(), full == null ? NONE : full);
        } finally {
            lock.unlock();
        }
    }

    boolean isRead() {
        lock.lock();
        try {
            return readers > 0;
        } finally {
            lock.unlock();
        }
    }

    void close() {
        lock.lock();
        try {
            closed = true;
            added.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
