package dev.weir.metrics;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The texts of the scrapes that are being sent, at most {@value #MOST}. If that many are in use because their readers
 * are slow, further readers get the newest text. Thread-safe.
 */
final class Scrapes {

    static final int MOST = 4;

    /** Writes all meters. */
    @FunctionalInterface
    interface Meters {
        void writeTo(OutputStream out) throws IOException;
    }

    private final Meters meters;
    private final ReentrantLock lock = new ReentrantLock();

    /** The texts being sent, newest last. Guarded by the lock. */
    private final Deque<Scrape> sent = new ArrayDeque<>();

    /** A text with the number of its readers. Must be closed after it has been sent. */
    final class Scrape implements AutoCloseable {

        private final byte[] text;
        private int readers; // guarded by the lock

        private Scrape(byte[] text) {
            this.text = text;
        }

        /** Returns the text, which several readers use and must not modify. */
        byte[] text() {
            return text;
        }

        @Override
        public void close() {
            lock.lock();
            try {
                readers--;
                if (readers == 0) {
                    sent.remove(this);
                }
            } finally {
                lock.unlock();
            }
        }
    }

    Scrapes(Meters meters) {
        this.meters = meters;
    }

    /** Returns the current meters, or slightly older ones if {@value #MOST} texts are already being sent. */
    Scrape next() throws IOException, InterruptedException {
        lock.lockInterruptibly();
        try {
            if (sent.size() < MOST) {
                ByteArrayOutputStream text = new ByteArrayOutputStream(16 * 1024);
                meters.writeTo(text);
                sent.add(new Scrape(text.toByteArray()));
            }
            Scrape newest = sent.getLast();
            newest.readers++;
            return newest;
        } finally {
            lock.unlock();
        }
    }
}
