package dev.weir.stream.internal.parallel;

import dev.weir.stream.Dispatcher;
import dev.weir.stream.internal.run.TaskGroup;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The tasks of one parallel stage, a part of its run's tasks that can be interrupted on its own. Thread-safe. */
final class WorkerTasks {

    private final TaskGroup group;
    private final Dispatcher dispatcher;
    private final String name;
    private final Set<TaskGroup.Task> running = ConcurrentHashMap.newKeySet();

    private volatile boolean cancelled;

    WorkerTasks(TaskGroup group, Dispatcher dispatcher, String name) {
        this.group = group;
        this.dispatcher = dispatcher;
        this.name = name;
    }

    void fork(Runnable worker) {
        group.fork(dispatcher, name, task -> {
            running.add(task);
            try {
                if (cancelled) {
                    task.interrupt();
                }
                worker.run();
            } finally {
                running.remove(task);
            }
        });
    }

    /** Interrupts the workers that run and those that start later. */
    void cancel() {
        cancelled = true;
        running.forEach(TaskGroup.Task::interrupt);
    }
}
