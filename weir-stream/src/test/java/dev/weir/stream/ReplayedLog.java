package dev.weir.stream;

import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import java.util.BitSet;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A log. Each run of its source starts at the first unacknowledged entry. Thread-safe. */
final class ReplayedLog {
    private final int size;
    private final int batchSize;
    private final ReentrantLock lock = new ReentrantLock();
    private final BitSet finished = new BitSet();
    final Queue<String> breaches = new ConcurrentLinkedQueue<>();
    private int open;
    private int lateAcks;
    final AtomicInteger runs = new AtomicInteger();

    ReplayedLog(int size, int batchSize) {
        this.size = size;
        this.batchSize = batchSize;
    }

    Source<Integer> source() {
        return Source.custom("log", context -> {
            runs.incrementAndGet();
            return new Reader(opened());
        });
    }

    private int opened() {
        lock.lock();
        try {
            if (open++ > 0) {
                breaches.add("a run began before the one before it was closed");
            }
            return finished.nextClearBit(0);
        } finally {
            lock.unlock();
        }
    }

    private void closed() {
        lock.lock();
        try {
            open--;
        } finally {
            lock.unlock();
        }
    }

    private void finish(int index, boolean late) {
        lock.lock();
        try {
            finished.set(index);
            lateAcks += late ? 1 : 0;
        } finally {
            lock.unlock();
        }
    }

    boolean isAllFinished() {
        lock.lock();
        try {
            return open == 0 && breaches.isEmpty() && finished.nextClearBit(0) == size;
        } finally {
            lock.unlock();
        }
    }

    int lateAcks() {
        lock.lock();
        try {
            return lateAcks;
        } finally {
            lock.unlock();
        }
    }

    private final class Reader implements Stage<Integer>, AckTarget {
        private int next;
        private volatile boolean closed;
        private final int from;
        private final int[] claims;

        Reader(int from) {
            this.next = from;
            this.from = from;
            this.claims = new int[size - from];
        }

        @Override
        public @Nullable Batch<Integer> pull(long deadlineNanos) {
            lock.lock();
            try {
                if (next == size) {
                    return null;
                }
                int count = Math.min(batchSize, size - next);
                Object[] values = new Object[count];
                long[] tokens = new long[count];
                for (int i = 0; i < count; i++, next++) {
                    values[i] = next;
                    tokens[i] = next;
                    claims[next - from] = 1;
                }
                return Batch.of(values, count, this, tokens);
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void ack(long token) {
            lock.lock();
            try {
                int left = --claims[(int) token - from];
                if (left < 0) {
                    breaches.add("entry " + token + " was acknowledged twice to one run");
                } else if (left == 0) {
                    finish((int) token, closed);
                }
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void retain(long token, int more) {
            lock.lock();
            try {
                claims[(int) token - from] += more;
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void close() {
            closed = true;
            closed();
        }
    }
}
