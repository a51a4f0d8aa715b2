package dev.weir.metrics;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Responses to scrapes that are being sent, at most {@value #MOST}. At this limit, a further client gets the newest
 * response. Thread-safe.
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

    /** A response and the number of clients that receive it. Must be closed once for each client. */
    final class Scrape implements AutoCloseable {

        private final byte[] text;
        private int readers; // guarded by the lock

        private Scrape(byte[] text) {
            this.text = text;
        }

        /** The text, which several clients share. It must not be modified. */
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

    /** Returns a response with the current meters, or the newest response if {@value #MOST} are being sent. */
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
