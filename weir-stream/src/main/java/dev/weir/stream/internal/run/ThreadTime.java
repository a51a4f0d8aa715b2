package dev.weir.stream.internal.run;

import java.util.concurrent.locks.ReentrantLock;

/**
 * The time of all threads that a stage may use, summed up from one look to the next, as their number may change: by a
 * user, or by the stage itself. Thread-safe.
 */
final class ThreadTime {

    private final ReentrantLock lock = new ReentrantLock();
    private long lookedNanos;
    private int threads;
    private double sum;

    /** The time until {@code elapsedNanos}, from when on there are {@code threadsNow}. An earlier look counts no more. */
    double until(long elapsedNanos, int threadsNow) {
        lock.lock();
        try {
            if (elapsedNanos > lookedNanos) {
                sum += (double) (elapsedNanos - lookedNanos) * (threads == 0 ? threadsNow : threads);
                lookedNanos = elapsedNanos;
            }
            threads = threadsNow;
            return sum;
        } finally {
            lock.unlock();
        }
    }
}
