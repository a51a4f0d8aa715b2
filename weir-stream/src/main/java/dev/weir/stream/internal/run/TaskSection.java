package dev.weir.stream.internal.run;

import dev.weir.stream.internal.run.TaskGroup.Task;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A part of a task's work that can be interrupted by itself: the stages above one of a segment. {@link #interrupt} is
 * thread-safe; {@link #enter} and {@link #exit} belong to the segment's thread.
 *
 * <p>An interrupt reaches the thread only between {@code enter} and {@code exit}, so never the downstream stages.
 */
public final class TaskSection {

    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private @Nullable Thread inside;
    private @Nullable Task task;
    private boolean interrupted;

    /** Starts the work. Returns false if it was already interrupted; then {@link #exit} must not be called. */
    public boolean enter() {
        lock.lock();
        try {
            if (interrupted) {
                return false;
            }
            inside = Thread.currentThread();
            task = TaskGroup.current();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Ends the work and clears an interrupt meant only for this section. Returns whether there was one. */
    public boolean exit() {
        lock.lock();
        try {
            inside = null;
            if (!interrupted) {
                return false;
            }
            boolean ignored = Thread.interrupted();
            Task mine = task;
            if (mine != null) {
                mine.interruptedSections.decrementAndGet();
                if (TaskGroup.isCurrentInterrupted()) {
                    // The task, or a section around this one, was interrupted as well.
                    Thread.currentThread().interrupt();
                }
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Interrupts the work, now or as soon as it would begin. Only the first call counts. */
    public void interrupt() {
        lock.lock();
        try {
            if (interrupted) {
                return;
            }
            interrupted = true;
            if (inside != null) {
                // Count first, so that the interrupted code can see why.
                if (task != null) {
                    task.interruptedSections.incrementAndGet();
                }
                inside.interrupt();
            }
        } finally {
            lock.unlock();
        }
    }
}
