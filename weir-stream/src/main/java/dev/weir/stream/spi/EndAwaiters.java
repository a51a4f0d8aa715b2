package dev.weir.stream.spi;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Tracks the threads that wait for the end of a run. During JVM shutdown, these threads get a moment to use the report.
 * Thread-safe.
 */
public final class EndAwaiters {

    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
    private volatile boolean remembers;

    /** Creates an object that tracks no threads yet. */
    public EndAwaiters() {}

    /** Adds the calling thread, which is about to wait. */
    public void enter() {
        threads.add(Thread.currentThread());
    }

    /** Removes the calling thread, which has stopped waiting. */
    public void leave() {
        if (!remembers) {
            threads.remove(Thread.currentThread());
        }
    }

    /** Starts remembering threads that return from the wait. */
    public void remember() {
        remembers = true;
    }

    /** Waits up to {@code nanos} until every waiting or remembered thread has terminated or has called System.exit. */
    public void awaitEnds(long nanos) throws InterruptedException {
        long endNanos = System.nanoTime() + nanos;
        for (Thread thread : threads) {
            // A thread that has called System.exit waits for this method, as part of the JVM's shutdown hooks.
            while (thread.isAlive() && !JvmExit.isCalledBy(thread)) {
                long left = endNanos - System.nanoTime();
                if (left <= 0) {
                    return;
                }
                TimeUnit.NANOSECONDS.timedJoin(thread, Math.min(left, TimeUnit.MILLISECONDS.toNanos(50)));
            }
        }
        threads.clear();
    }
}
