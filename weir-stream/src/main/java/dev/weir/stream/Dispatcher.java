package dev.weir.stream;

import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A named executor that runs stages. Thread-safe; its creator closes it, after the pipelines that use it have ended.
 * All threads are daemon threads.
 */
public final class Dispatcher implements AutoCloseable {

    /** The kinds of threads that a dispatcher can use. */
    public enum Kind {
        /** A new virtual thread for each task; suited to work that blocks. */
        VIRTUAL,
        /** Work-stealing platform threads; suited to many short CPU-bound tasks. */
        FORK_JOIN,
        /**
         * A fixed number of platform threads; suited to CPU-bound work, or to limiting concurrent use of a resource.
         */
        FIXED,
        /** One platform thread; suited to tasks that must never overlap. */
        SINGLE
    }

    private static final int MAX_THREADS = 32_767;
    private static final long IDLE_SECONDS = 2;
    private static final Dispatcher VIRTUAL = virtual("virtual");

    private final String name;
    private final Kind kind;
    /** Written only while holding the lock. */
    private volatile int size;

    private final ReentrantLock resizing = new ReentrantLock();
    private final ExecutorService executor;
    private final LongAdder submitted = new LongAdder();
    private final LongAdder started = new LongAdder();
    private final LongAdder completed = new LongAdder();

    private Dispatcher(String name, Kind kind, int size, ExecutorService executor) {
        this.name = name;
        this.kind = kind;
        this.size = size;
        this.executor = executor;
    }

    /** Returns the default dispatcher of fused and blocking stages. It runs each task on a new virtual thread. */
    public static Dispatcher virtual() {
        return VIRTUAL;
    }

    /**
     * Returns the default dispatcher of CPU-bound stages, with one platform thread per processor. Idle threads end
     * after two seconds.
     */
    public static Dispatcher cpu() {
        return Cpu.SHARED;
    }

    /** Creates a dispatcher that runs each task on a new virtual thread. */
    public static Dispatcher virtual(String name) {
        checkName(name);
        ThreadFactory threads = Thread.ofVirtual().name("weir-" + name + "-", 0).factory();
        return new Dispatcher(name, Kind.VIRTUAL, Integer.MAX_VALUE, Executors.newThreadPerTaskExecutor(threads));
    }

    /**
     * Creates a dispatcher with a fixed number of platform threads, which terminate when idle.
     *
     * @param threads 1 to 32767
     */
    public static Dispatcher fixed(String name, int threads) {
        return new Dispatcher(name, Kind.FIXED, threads, pool(name, threads));
    }

    /** Creates a dispatcher with one platform thread. */
    public static Dispatcher single(String name) {
        return new Dispatcher(name, Kind.SINGLE, 1, pool(name, 1));
    }

    /**
     * Creates a work-stealing dispatcher.
     *
     * @param parallelism 1 to 32767
     */
    public static Dispatcher forkJoin(String name, int parallelism) {
        checkName(name);
        checkThreads(name, parallelism);
        ForkJoinPool.ForkJoinWorkerThreadFactory threads = pool -> {
            ForkJoinWorkerThread thread = ForkJoinPool.defaultForkJoinWorkerThreadFactory.newThread(pool);
            thread.setName("weir-" + name + "-" + thread.getPoolIndex());
            return thread;
        };
        return new Dispatcher(
                name, Kind.FORK_JOIN, parallelism, new ForkJoinPool(parallelism, threads, null, /* asyncMode= */ true));
    }

    private static ExecutorService pool(String name, int threads) {
        checkName(name);
        checkThreads(name, threads);
        ThreadFactory factory =
                Thread.ofPlatform().daemon().name("weir-" + name + "-", 0).factory();
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                threads, threads, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory);
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    private static void checkName(String name) {
        if (Objects.requireNonNull(name, "name").isBlank()) {
            throw new IllegalArgumentException("a dispatcher needs a name that is not blank");
        }
    }

    private static void checkThreads(String name, int threads) {
        if (threads < 1 || threads > MAX_THREADS) {
            throw new IllegalArgumentException(
                    "threads of dispatcher " + name + " must be 1 to " + MAX_THREADS + ": threads=" + threads);
        }
    }

    public String name() {
        return name;
    }

    public Kind kind() {
        return kind;
    }

    /** Maximum number of threads, or {@link Integer#MAX_VALUE} for virtual threads. */
    public int size() {
        return size;
    }

    /**
     * Changes the number of threads. Surplus threads end after their current task; no task is lost or interrupted. Each
     * group of fused stages on this dispatcher needs one thread, and the workers of parallel stages need one more.
     * {@link dev.weir.stream.control.DispatcherControl} ensures this for one pipeline.
     *
     * @param threads 1 to 32767
     * @throws UnsupportedOperationException if the dispatcher is {@link Kind#VIRTUAL} or {@link Kind#SINGLE}
     */
    public void resize(int threads) {
        checkThreads(name, threads);
        if (kind == Kind.VIRTUAL || kind == Kind.SINGLE) {
            throw new UnsupportedOperationException("dispatcher " + name + " is " + kind
                    + (kind == Kind.VIRTUAL ? ": it has a thread for each task" : ": its tasks must never overlap"));
        }
        resizing.lock();
        try {
            if (executor instanceof ForkJoinPool pool) {
                int ignored = pool.setParallelism(threads);
            } else if (executor instanceof ThreadPoolExecutor pool && threads > size) {
                pool.setMaximumPoolSize(threads);
                pool.setCorePoolSize(threads);
            } else if (executor instanceof ThreadPoolExecutor pool) {
                pool.setCorePoolSize(threads);
                pool.setMaximumPoolSize(threads);
            }
            size = threads;
        } finally {
            resizing.unlock();
        }
    }

    /** Runs a task on one of the dispatcher's threads. */
    public void execute(Runnable task) {
        Objects.requireNonNull(task, "task");
        submitted.increment();
        try {
            executor.execute(() -> {
                started.increment();
                try {
                    task.run();
                } finally {
                    completed.increment();
                }
            });
        } catch (RuntimeException | Error refused) {
            submitted.decrement();
            throw refused;
        }
    }

    /** Returns the current counters. */
    public DispatcherSnapshot snapshot() {
        // Read the counters in reverse order of counting, so that no difference becomes negative.
        long ended = completed.sum();
        long begun = started.sum();
        long asked = submitted.sum();
        long active = Math.max(0, begun - ended);
        int threads = switch (executor) {
            case ThreadPoolExecutor pool -> pool.getPoolSize();
            case ForkJoinPool pool -> pool.getPoolSize();
            default -> Math.toIntExact(active);
        };
        return DispatcherSnapshot.of(name, kind, size, threads, active, Math.max(0, asked - begun), ended);
    }

    /** Refuses new tasks; running and queued tasks finish. Does nothing for the two shared dispatchers. */
    @Override
    public void close() {
        if (this != VIRTUAL && this != Cpu.SHARED) {
            executor.shutdown();
        }
    }

    @Override
    public String toString() {
        return name + " (" + kind + (size == Integer.MAX_VALUE ? "" : ", " + size) + ")";
    }

    /** Creates the shared CPU dispatcher on first use. */
    private static final class Cpu {
        static final Dispatcher SHARED = fixed("cpu", Runtime.getRuntime().availableProcessors());
    }
}
