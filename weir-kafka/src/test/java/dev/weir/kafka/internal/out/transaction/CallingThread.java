package dev.weir.kafka.internal.out.transaction;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/** Runs tasks on the calling thread: at once, or in {@link #release} after {@link #hold}. Confined to one thread. */
final class CallingThread extends AbstractExecutorService {

    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private boolean held;
    private boolean shutdown;

    /** Postpones all further tasks. */
    void hold() {
        held = true;
    }

    /** Runs the postponed tasks, and further ones at once. */
    void release() {
        held = false;
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    @Override
    public void execute(Runnable task) {
        if (shutdown) {
            throw new RejectedExecutionException();
        }
        tasks.add(task);
        if (!held) {
            release();
        }
    }

    @Override
    public void shutdown() {
        shutdown = true;
    }

    @Override
    public List<Runnable> shutdownNow() {
        return List.of();
    }

    @Override
    public boolean isShutdown() {
        return shutdown;
    }

    @Override
    public boolean isTerminated() {
        return true;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return true;
    }
}
