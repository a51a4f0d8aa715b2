package dev.weir.driver;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.ToLongFunction;

/**
 * The threads of the harness in this process. Their processor time and allocations are not part of a driver's usage.
 * Thread-safe.
 */
final class HarnessThreads {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private static final ReentrantLock LOCK = new ReentrantLock();

    // Guarded by the lock.
    private static final Set<Thread> RUNNING = new HashSet<>();
    private static long endedCpuNanos;
    private static long endedAllocatedBytes;

    private HarnessThreads() {}

    static Thread start(String name, Runnable work) {
        Thread thread = new Thread(() -> run(work), name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static void run(Runnable work) {
        Thread current = Thread.currentThread();
        LOCK.lock();
        try {
            RUNNING.add(current);
        } finally {
            LOCK.unlock();
        }
        try {
            work.run();
        } finally {
            // Add the counts now, because the JVM no longer reports them after the thread has ended.
            LOCK.lock();
            try {
                RUNNING.remove(current);
                endedCpuNanos += cpuNanos(current);
                endedAllocatedBytes += allocatedBytes(current);
            } finally {
                LOCK.unlock();
            }
        }
    }

    /** Returns the processor time of all threads so far, including ended threads. */
    static long cpuNanos() {
        LOCK.lock();
        try {
            return endedCpuNanos + sum(HarnessThreads::cpuNanos);
        } finally {
            LOCK.unlock();
        }
    }

    /** Returns the bytes allocated by all threads so far, including ended threads. */
    static long allocatedBytes() {
        LOCK.lock();
        try {
            return endedAllocatedBytes + sum(HarnessThreads::allocatedBytes);
        } finally {
            LOCK.unlock();
        }
    }

    private static long sum(ToLongFunction<Thread> count) {
        return RUNNING.stream().mapToLong(count).sum();
    }

    private static long cpuNanos(Thread thread) {
        return Math.max(0, THREADS.getThreadCpuTime(thread.threadId()));
    }

    private static long allocatedBytes(Thread thread) {
        return Math.max(0, THREADS.getThreadAllocatedBytes(thread.threadId()));
    }
}
