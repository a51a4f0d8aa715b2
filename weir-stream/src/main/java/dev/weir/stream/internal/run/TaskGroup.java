package dev.weir.stream.internal.run;

import dev.weir.stream.Dispatcher;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The tasks of one pipeline: nothing of it runs outside, and the pipeline has ended when none is left. Thread-safe.
 */
public final class TaskGroup {

    private final String pipelineName;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition allEnded = lock.newCondition();
    private final Set<Task> tasks = new HashSet<>();
    private boolean cancelled;

    TaskGroup(String pipelineName) {
        this.pipelineName = pipelineName;
    }

    /** Runs {@code body}, which is given its own task, on the dispatcher; after {@link #cancel} it starts interrupted. */
    public Task fork(Dispatcher dispatcher, String name, Consumer<Task> body) {
        Task task = new Task("weir-" + pipelineName + "-" + name, body);
        lock.lock();
        try {
            tasks.add(task);
        } finally {
            lock.unlock();
        }
        try {
            dispatcher.execute(task);
        } catch (RuntimeException refused) {
            task.ended();
            throw new IllegalStateException("dispatcher " + dispatcher + " takes no tasks: is it closed?", refused);
        }
        return task;
    }

    /** Interrupts all tasks, present and future. */
    void cancel() {
        List<Task> present;
        lock.lock();
        try {
            cancelled = true;
            present = new ArrayList<>(tasks);
        } finally {
            lock.unlock();
        }
        present.forEach(Task::interrupt);
    }

    /** Waits until no task is left. */
    void await() throws InterruptedException {
        lock.lock();
        try {
            while (!tasks.isEmpty()) {
                allEnded.await();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Waits until no task is left or the time is up, and returns the names of the tasks that still run. */
    List<String> await(long nanos) throws InterruptedException {
        long left = nanos;
        lock.lock();
        try {
            while (!tasks.isEmpty() && left > 0) {
                left = allEnded.awaitNanos(left);
            }
            return tasks.stream().map(task -> task.name).sorted().toList();
        } finally {
            lock.unlock();
        }
    }

    private boolean isCancelled() {
        lock.lock();
        try {
            return cancelled;
        } finally {
            lock.unlock();
        }
    }

    /** One body on one thread. An interrupt reaches it only while the body runs, never the thread's next task. */
    public final class Task implements Runnable {

        private final String name;
        private final Consumer<Task> body;

        private final ReentrantLock threadLock = new ReentrantLock();
        private @Nullable Thread thread;
        private boolean interruptRequested;

        private Task(String name, Consumer<Task> body) {
            this.name = name;
            this.body = body;
        }

        @Override
        public void run() {
            Thread current = Thread.currentThread();
            if (current.isVirtual()) {
                current.setName(name);
            }
            boolean groupCancelled = isCancelled();
            threadLock.lock();
            try {
                thread = current;
                if (interruptRequested || groupCancelled) {
                    current.interrupt();
                }
            } finally {
                threadLock.unlock();
            }
            try {
                body.accept(this);
            } finally {
                shield();
                ended();
            }
        }

        /** Interrupts the body, now or as soon as it starts. */
        public void interrupt() {
            threadLock.lock();
            try {
                interruptRequested = true;
                if (thread != null) {
                    thread.interrupt();
                }
            } finally {
                threadLock.unlock();
            }
        }

        /** Lets no further interrupt through and clears one that came: what follows is cleaning up. Own thread only. */
        public void shield() {
            threadLock.lock();
            try {
                thread = null;
                boolean ignored = Thread.interrupted();
            } finally {
                threadLock.unlock();
            }
        }

        private void ended() {
            lock.lock();
            try {
                tasks.remove(this);
                if (tasks.isEmpty()) {
                    allEnded.signalAll();
                }
            } finally {
                lock.unlock();
            }
        }
    }
}
