package dev.weir.metrics;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Responses to scrapes, while they are being sent. There are at most {@value #MOST} at a time. If this limit is reached
 * because clients read slowly, further clients share the newest response. Thread-safe.
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

    /** The responses being sent, newest last. Guarded by the lock. */
    private final Deque<Scrape> sent = new ArrayDeque<>();

    /**
     * A response and the number of clients to which it is being sent. Must be closed once for each client, after
     * sending.
     */
    final class Scrape implements AutoCloseable {

        private final byte[] text;
        private int readers; // guarded by the lock

        private Scrape(byte[] text) {
            this.text = text;
        }

        /** Returns the text of the response. It is shared by several clients and must not be modified. */
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

    /**
     * Returns a response with the current meters. If {@value #MOST} responses are already being sent, returns the
     * newest of them, whose values are slightly older.
     */
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
