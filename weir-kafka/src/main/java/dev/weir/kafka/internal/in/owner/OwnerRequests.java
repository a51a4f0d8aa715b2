package dev.weir.kafka.internal.in.owner;

import dev.weir.kafka.internal.in.fetch.OwnerWaits;
import dev.weir.kafka.internal.in.lookup.OwnerClock;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Requests of other threads to the owner, which checks them in each turn and is woken for them. {@link #run} and
 * {@link #withinPatience} belong to the owner thread; the others are thread-safe.
 */
final class OwnerRequests {

    private final OwnerWaits waiting;
    private final OwnerClock clock;
    private final Queue<Runnable> queue = new ConcurrentLinkedQueue<>();
    private volatile boolean stop;
    private volatile boolean close;

    private final ReentrantLock closing = new ReentrantLock();

    /** Written before {@link #close}, under {@link #closing}. */
    private volatile long closeDeadlineNanos;

    OwnerRequests(OwnerWaits waiting, OwnerClock clock) {
        this.waiting = waiting;
        this.clock = clock;
    }

    /** See {@link ConsumerLoop#stop}. */
    void stop() {
        stop = true;
        waiting.wake();
    }

    boolean isStop() {
        return stop;
    }

    /**
     * Requests the end, which may wait this long for unfinished records. If requested again, the shortest time applies.
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

    /** Requests any other action. */
    void add(Runnable request) {
        queue.add(request);
        waiting.wake();
    }

    /** Performs the {@linkplain #add added} requests. */
    void run() {
        for (Runnable request = queue.poll(); request != null; request = queue.poll()) {
            request.run();
        }
    }

    /** The time that a wait may take; after a close request at most its remaining patience. */
    long withinPatience(long nanos) {
        return close ? Math.min(nanos, closeDeadlineNanos - clock.nanoTime()) : nanos;
    }
}
