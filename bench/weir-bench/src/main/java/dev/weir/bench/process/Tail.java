package dev.weir.bench.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Copies the output of a process on a dedicated thread and keeps the last lines. Thread-safe. */
final class Tail {
    private static final int LINES = 3;
    private static final int MOST_CHARACTERS = 300;

    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<String> last = new ArrayDeque<>(); // guarded by the lock
    private final Thread thread;

    /**
     * Starts copying {@code from} to {@code into}, which the copying thread closes. If {@code into} is null, the output
     * is not copied and only its last lines are kept.
     */
    Tail(String name, InputStream from, @Nullable OutputStream into) {
        this.thread = Thread.ofVirtual().name("bench-tail-" + name).start(() -> copy(from, into));
    }

    private void copy(InputStream from, @Nullable OutputStream into) {
        try (BufferedReader said = new BufferedReader(new InputStreamReader(from, StandardCharsets.UTF_8));
                OutputStream copy = into) {
            for (String line = said.readLine(); line != null; line = said.readLine()) {
                if (copy != null) {
                    copy.write((line + "\n").getBytes(StandardCharsets.UTF_8));
                }
                if (!line.isBlank()) {
                    keep(line.strip());
                }
            }
        } catch (IOException e) {
            keep(e.toString());
        }
    }

    private void keep(String line) {
        lock.lock();
        try {
            last.add(line.length() > MOST_CHARACTERS ? line.substring(0, MOST_CHARACTERS) + "..." : line);
            if (last.size() > LINES) {
                last.remove();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns the last lines, separated by slashes. Waits at most {@code patience} for the end of the output. */
    String text(Duration patience) {
        try {
            thread.join(patience);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        lock.lock();
        try {
            return String.join(" / ", last);
        } finally {
            lock.unlock();
        }
    }
}
