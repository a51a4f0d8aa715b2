package dev.weir.stream.internal.workers;

import dev.weir.stream.Dispatcher;
import dev.weir.stream.StageSnapshot.Activity;
import dev.weir.stream.internal.run.TaskGroup;
import dev.weir.stream.internal.steering.ThreadWait;
import java.util.EnumMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** The tasks of one parallel stage, which can be interrupted separately from the run's other tasks. Thread-safe. */
public final class WorkerTasks {

    private static final int MOST_ASKED = 256;

    /** Number of workers whose stacks {@link #withWaits} reads. Reading a stack is expensive. */
    private static final int MOST_STACKS = 8;

    private final TaskGroup group;
    private final Dispatcher dispatcher;
    private final String name;
    private final Set<TaskGroup.Task> members = ConcurrentHashMap.newKeySet();

    private volatile boolean cancelled;

    public WorkerTasks(TaskGroup group, Dispatcher dispatcher, String name) {
        this.group = group;
        this.dispatcher = dispatcher;
        this.name = name;
    }

    public Dispatcher dispatcher() {
        return dispatcher;
    }

    public boolean isRunCancelled() {
        return group.isCancelled();
    }

    public void fork(Consumer<TaskGroup.Task> worker) {
        fork(dispatcher, worker);
    }

    public void fork(Dispatcher on, Consumer<TaskGroup.Task> worker) {
        TaskGroup.Task task = group.fork(on, name, members, self -> {
            if (cancelled) {
                // The worker may start user code before the check below, so check here too.
                self.interrupt();
            }
            worker.accept(self);
        });
        if (cancelled) {
            // Interrupt the task: if it waits in the queue of a busy pool, it then runs on a separate thread.
            task.interrupt();
        }
    }

    /** Number of workers that a thread is running. */
    public int begun() {
        int begun = 0;
        for (TaskGroup.Task member : members) {
            begun += member.hasBegun() ? 1 : 0;
        }
        return begun;
    }

    /** Number of workers whose threads are waiting, estimated from a sample if there are many workers. */
    public int waiting() {
        int asked = 0;
        int waiting = 0;
        for (TaskGroup.Task member : members) {
            if (asked == MOST_ASKED) {
                return (int) ((long) waiting * members.size() / asked);
            }
            asked++;
            waiting += member.isThreadWaiting() ? 1 : 0;
        }
        return waiting;
    }

    /** Returns the workers' activity with the reasons for their waits, estimated from the stacks of some workers. */
    public Activity withWaits(Activity workers) {
        Map<ThreadWait, Integer> found = waits();
        int looked = found.values().stream().mapToInt(Integer::intValue).sum();
        if (looked == 0 && workers.atWork() > 0 && workers.atWork() >= members.size()) {
            return workers.withPass(false, false, true); // for example between two attempts, or at a circuit breaker
        }
        int waits = looked - found.getOrDefault(ThreadWait.NONE, 0);
        if (waits == 0) {
            return workers;
        }
        // A platform thread in a native call appears to be running; only its stack shows that it is waiting.
        int waiting = Math.clamp(
                Math.max(workers.waiting(), Math.ceilDiv(waits * workers.atWork(), looked)), 0, workers.atWork());
        return Activity.of(
                        workers.stage(),
                        workers.thread(),
                        workers.dispatcher(),
                        workers.atWork(),
                        waiting,
                        workers.ready(),
                        workers.behindKeys(),
                        workers.keyName(),
                        workers.behindLock())
                .withLongestChain(workers.longestChain())
                .withWaits(
                        part(found, ThreadWait.LOCK, waiting, waits),
                        part(found, ThreadWait.IO, waiting, waits),
                        part(found, ThreadWait.SLEEP, waiting, waits));
    }

    private static int part(Map<ThreadWait, Integer> found, ThreadWait wait, int waiting, int waits) {
        return Math.round((float) found.getOrDefault(wait, 0) * waiting / waits);
    }

    private Map<ThreadWait, Integer> waits() {
        Map<ThreadWait, Integer> found = new EnumMap<>(ThreadWait.class);
        int asked = 0;
        int looked = 0;
        for (TaskGroup.Task member : members) {
            if (looked == MOST_STACKS || asked++ == 2 * MOST_STACKS) {
                break;
            }
            ThreadWait wait = member.threadWait();
            if (wait != ThreadWait.ENGINE && member.hasBegun()) {
                looked++;
                found.merge(wait, 1, Integer::sum);
            }
        }
        return found;
    }

    /** Largest number of workers that wait for the same lock, estimated from a sample if there are many workers. */
    public int behindLock() {
        IdentityHashMap<Object, Integer> behind = new IdentityHashMap<>();
        int asked = 0;
        int most = 0;
        for (TaskGroup.Task member : members) {
            if (asked == MOST_ASKED) {
                return (int) ((long) most * members.size() / asked);
            }
            asked++;
            Object lock = member.lockWaitedFor();
            if (lock != null) {
                most = Math.max(most, behind.merge(lock, 1, Integer::sum));
            }
        }
        return most;
    }

    public void cancel() {
        cancelled = true;
        members.forEach(TaskGroup.Task::interrupt);
    }
}
