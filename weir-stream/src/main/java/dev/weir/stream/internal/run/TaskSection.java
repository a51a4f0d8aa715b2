package dev.weir.stream.internal.run;

import dev.weir.stream.internal.run.TaskGroup.Task;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A part of a task's work that can be interrupted separately: the stages upstream of a certain stage, on the task's
 * thread. {@link #interrupt} is thread-safe; {@link #enter} and {@link #exit} must be called on that thread.
 *
 * <p>An interrupt reaches the thread only between {@code enter} and {@code exit}, so it never reaches the downstream
 * stages.
 */
public final class TaskSection {

    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private @Nullable Thread inside;
    private @Nullable Task task;
    private boolean interrupted;

    /** Enters the section. If it was already interrupted, returns false, and {@link #exit} must not be called. */
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

    /** Leaves the section and clears its interrupt. Returns whether the section was interrupted. */
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
                    // The task or an enclosing section was interrupted too. Restore the cleared interrupt.
                    Thread.currentThread().interrupt();
                }
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Interrupts the section, now or as soon as it is entered. Only the first call has an effect. */
    public void interrupt() {
        lock.lock();
        try {
            if (interrupted) {
                return;
            }
            interrupted = true;
            if (inside != null) {
                // Count first, so that the interrupted code sees that its section was interrupted.
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
