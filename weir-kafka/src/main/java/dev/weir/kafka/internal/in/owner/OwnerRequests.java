package dev.weir.kafka.internal.in.owner;

import dev.weir.kafka.internal.in.fetch.OwnerWaits;
import dev.weir.kafka.internal.in.lookup.OwnerClock;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Passes requests from other threads to the owner thread, which runs them before its next poll. {@link #run} and
 * {@link #withinPatience} belong to the owner thread; the other methods are thread-safe.
 */
final class OwnerRequests {

    private final OwnerWaits waiting;
    private final OwnerClock clock;
    private final Queue<Runnable> queue = new ConcurrentLinkedQueue<>();
    private volatile boolean stop;
    private volatile boolean close;

    private final ReentrantLock closing = new ReentrantLock();

    /** Valid once {@link #close} is true. Written while holding {@link #closing}. */
    private volatile long closeDeadlineNanos;

    OwnerRequests(OwnerWaits waiting, OwnerClock clock) {
        this.waiting = waiting;
        this.clock = clock;
    }

    void stop() {
        stop = true;
        waiting.wake();
    }

    boolean isStop() {
        return stop;
    }

    /**
     * Requests a close after waiting at most {@code patience} for unfinished records. The earliest deadline of several
     * calls applies.
     */
    void close(Duration patience) {
        long deadlineNanos = clock.nanoTime() + patience.toNanos();
        closing.lock();
        try {
            if (!close || deadlineNanos - closeDeadlineNanos < 0) {
                closeDeadlineNanos = deadlineNanos;
            }
            close = true;
        } finally {
            closing.unlock();
        }
        waiting.wake();
    }

    boolean isClose() {
        return close;
    }

    void add(Runnable request) {
        queue.add(request);
        waiting.wake();
    }

    void run() {
        for (Runnable request = queue.poll(); request != null; request = queue.poll()) {
            request.run();
        }
    }

    /** Returns {@code nanos}, limited to the remaining close timeout after a close request. */
    long withinPatience(long nanos) {
        return close ? Math.min(nanos, closeDeadlineNanos - clock.nanoTime()) : nanos;
    }
}
