package dev.weir.stream.internal.run;

import dev.weir.stream.Dispatcher;
import dev.weir.stream.internal.steering.ThreadWait;
import dev.weir.stream.internal.waiting.WaitHabit;
import dev.weir.stream.spi.JvmExit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.AbstractOwnableSynchronizer;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The tasks of one pipeline. All code of the pipeline runs in tasks, and the pipeline ends when the last task has
 * ended. Thread-safe.
 */
public final class TaskGroup {

    private static final ThreadLocal<@Nullable Task> CURRENT = new ThreadLocal<>();

    private final String pipelineName;
    private final Consumer<Throwable> onEscape;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition allEnded = lock.newCondition();

    /** Actions that wake paused tasks, to check whether their elements were revoked. */
    private final Set<Runnable> pauses = ConcurrentHashMap.newKeySet();

    // Guarded by the lock.
    private final Set<Task> tasks = new HashSet<>();
    private boolean cancelled;
    private boolean someLeft;

    /**
     * Creates an empty group.
     *
     * @param onEscape called with any throwable that a body throws, on that body's thread
     */
    public TaskGroup(String pipelineName, Consumer<Throwable> onEscape) {
        this.pipelineName = pipelineName;
        this.onEscape = onEscape;
    }

    public static @Nullable Task current() {
        return CURRENT.get();
    }

    /**
     * Returns whether the calling thread's task, or its current {@link TaskSection}, was interrupted. A failure after
     * an interrupt must be neither skipped nor recovered from.
     */
    public static boolean isCurrentInterrupted() {
        Task task = CURRENT.get();
        return task != null && (task.life.isInterruptRequested() || task.interruptedSections.get() > 0);
    }

    /**
     * Returns the failure of the calling thread's stages, or of the downstream thread that has cancelled this thread;
     * null if there is none. Exceptions after the interrupt do not count.
     */
    public static @Nullable Throwable currentFailure() {
        Task task = CURRENT.get();
        return task == null ? null : task.failure;
    }

    /** Stores a failure of the calling thread's stages. Only the first failure is kept. */
    public static void noteFailure(Throwable thrown) {
        Task task = CURRENT.get();
        if (task != null && task.failure == null && !task.life.isInterruptRequested()) {
            task.failure = thrown;
        }
    }

    /** Returns the {@link WaitHabit} of the calling thread's task, or null. */
    public static @Nullable WaitHabit currentHabit() {
        Task task = CURRENT.get();
        return task == null ? null : task.habit;
    }

    public static boolean isCurrentTask() {
        return CURRENT.get() != null;
    }

    public static @Nullable TaskGroup currentGroup() {
        Task task = CURRENT.get();
        return task == null ? null : task.group();
    }

    /** Begins a pause. Until it ends, {@link #wakePauses} calls {@code wake}. */
    public void beginPause(Runnable wake) {
        pauses.add(wake);
    }

    public void endPause(Runnable wake) {
        pauses.remove(wake);
    }

    /** Wakes all paused tasks, to check whether their elements were revoked. May be called from any thread. */
    void wakePauses() {
        pauses.forEach(Runnable::run);
    }

    boolean isCurrentMember() {
        Task task = CURRENT.get();
        return task != null && task.group() == this;
    }

    /** Runs {@code body} on the dispatcher. The body receives its own task. */
    public Task fork(Dispatcher dispatcher, String name, Consumer<Task> body) {
        return fork(dispatcher, name, new HashSet<>(0), body);
    }

    /**
     * Runs {@code body} on the dispatcher. The task is in {@code members} from before its start until its end. In a
     * cancelled group, the body is interrupted at its start and runs on a separate thread.
     *
     * @param members must be thread-safe if it will hold more than one task
     */
    public Task fork(Dispatcher dispatcher, String name, Set<Task> members, Consumer<Task> body) {
        Task task = new Task(name, members, dispatcher, body);
        try {
            if (admit(task)) {
                dispatcher.execute(task);
            } else {
                task.startInterrupted();
            }
        } catch (RuntimeException refused) {
            if (task.withdraw()) {
                throw new IllegalStateException("dispatcher " + dispatcher + " takes no tasks: is it closed?", refused);
            }
        } catch (Error noThread) {
            if (task.withdraw()) {
                throw noThread;
            }
        }
        return task;
    }

    /** Adds a task. Returns false if the group is cancelled; the task may then only clean up. */
    private boolean admit(Task task) {
        lock.lock();
        try {
            // Add to both sets under the lock: another thread may run the task to its end as soon as it is in
            // `members`.
            task.members.add(task);
            tasks.add(task);
            return !cancelled;
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether the whole run is being cancelled. */
    public boolean isCancelled() {
        lock.lock();
        try {
            return cancelled;
        } finally {
            lock.unlock();
        }
    }

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

    /**
     * Abandons the tasks whose threads have called {@link System#exit}, which never returns during JVM shutdown.
     *
     * @param first called before the first task is abandoned, because abandoning it may end the run
     * @return the names of the tasks that were abandoned by this call
     */
    List<String> leaveExiting(Runnable first) {
        List<Task> exiting = present().stream().filter(Task::isExiting).toList();
        if (exiting.isEmpty()) {
            return List.of();
        }
        first.run();
        lock.lock();
        try {
            someLeft = true;
        } finally {
            lock.unlock();
        }
        exiting.forEach(Task::leave);
        return exiting.stream().map(task -> task.name).toList();
    }

    boolean hasLeft() {
        lock.lock();
        try {
            return someLeft;
        } finally {
            lock.unlock();
        }
    }

    private List<Task> present() {
        lock.lock();
        try {
            return new ArrayList<>(tasks);
        } finally {
            lock.unlock();
        }
    }

    boolean isEmpty() {
        lock.lock();
        try {
            return tasks.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether all tasks are idle. The tasks are checked one after the other. */
    boolean isAtRest(Predicate<Thread> isWaiting) {
        for (Task task : present()) {
            if (!task.isAtRest(isWaiting)) {
                return false;
            }
        }
        return true;
    }

    /** Returns the threads that are running tasks, by dispatcher name, sorted. */
    SortedMap<String, List<Thread>> threads() {
        SortedMap<String, List<Thread>> threads = new TreeMap<>();
        for (Task task : present()) {
            Thread current = task.life.thread();
            if (current != null) {
                threads.computeIfAbsent(task.dispatcher, first -> new ArrayList<>())
                        .add(current);
            }
        }
        return threads;
    }

    /** Names of the tasks that have not ended, sorted. */
    List<String> names() {
        lock.lock();
        try {
            return tasks.stream().map(task -> task.name).sorted().toList();
        } finally {
            lock.unlock();
        }
    }

    /**
     * A body of code that runs on one thread. A task is interrupted at most once, and only while the body is running.
     * The interrupt never reaches the body's cleanup or the next task of the same thread.
     *
     * <p>A task that is interrupted in the queue of a busy pool runs on a separate thread, so that it can clean up. A
     * body must therefore check {@link #isInterruptRequested} before it calls user code.
     */
    public final class Task implements Runnable {

        private final String name;
        private final String dispatcher;
        private final Set<Task> members;
        private final TaskLifecycle life;

        private final WaitHabit habit = new WaitHabit();

        /** Cleared by the thread that starts the task or withdraws it. */
        private @Nullable Consumer<Task> body;

        private volatile boolean waitsBriefly;

        /** True if the task was abandoned because its thread never returns. */
        private volatile boolean left;

        /** See {@link #currentFailure}. Written by the body, or by the thread that interrupts it. */
        private volatile @Nullable Throwable failure;

        /** Number of interrupted sections that have not been exited yet. */
        final AtomicInteger interruptedSections = new AtomicInteger();

        Task(String name, Set<Task> members, Dispatcher dispatcher, Consumer<Task> body) {
            this.name = "weir-" + pipelineName + "-" + name;
            this.members = members;
            this.dispatcher = dispatcher.name();
            this.life = new TaskLifecycle(dispatcher.kind() != Dispatcher.Kind.VIRTUAL);
            this.body = body;
        }

        private TaskGroup group() {
            return TaskGroup.this;
        }

        @Override
        public void run() {
            Thread current = Thread.currentThread();
            if (!life.begin(current)) {
                return;
            }
            try {
                Consumer<Task> mine = Objects.requireNonNull(body);
                body = null;
                if (current.isVirtual()) {
                    current.setName(name);
                }
                CURRENT.set(this);
                mine.accept(this);
            } catch (Throwable escaped) {
                onEscape.accept(escaped);
            } finally {
                CURRENT.remove();
                shield();
                ended();
            }
        }

        private boolean isExiting() {
            Thread current = life.thread();
            return current != null && JvmExit.isCalledBy(current);
        }

        private void leave() {
            left = true;
            ended();
        }

        /**
         * Withdraws a task that the dispatcher refused. Returns false if the task was interrupted before: a separate
         * thread then runs it.
         */
        private boolean withdraw() {
            if (!life.withdraw()) {
                return false;
            }
            body = null;
            ended();
            return true;
        }

        private void startInterrupted() {
            life.interruptAtStart();
            startApart();
        }

        /** Runs the task on a separate thread. A pool that reaches the task later skips it. */
        private void startApart() {
            Thread.ofVirtual().start(this);
        }

        /** Interrupts the body, now or as soon as it starts. Only the first call has an effect. */
        public void interrupt() {
            if (life.interrupt()) {
                startApart();
            }
        }

        /**
         * Interrupts the body. While the body {@linkplain #hold defers} interrupts, {@link #letGo} delivers the
         * interrupt.
         *
         * @param why the failure that caused the interrupt, or null
         */
        void interruptUnlessHeld(@Nullable Throwable why) {
            if (why != null) {
                failure = why;
            }
            if (life.interruptUnlessHeld()) {
                startApart();
            }
        }

        /**
         * Defers interrupts for this task's own stages, until {@link #letGo} has been called as often as this method.
         * Call this method before pulling stages of another task, which must not see the interrupt. Must be called on
         * the task's own thread.
         */
        public void hold() {
            life.hold();
        }

        /** Ends one {@link #hold}. The last call delivers a deferred interrupt. May be called from any thread. */
        public void letGo() {
            life.letGo();
        }

        public void waitsBriefly(boolean briefly) {
            waitsBriefly = briefly;
        }

        /**
         * Returns whether the body has started and its thread is waiting. A {@linkplain #waitsBriefly brief} wait does
         * not count.
         */
        private boolean isAtRest(Predicate<Thread> isWaiting) {
            Thread current = life.thread();
            // Call the predicate without the lock, which the inspected thread may need.
            return current != null && !waitsBriefly && isWaiting.test(current);
        }

        /** Returns whether the task was abandoned because its thread waits for the JVM to terminate. */
        boolean isLeft() {
            return left;
        }

        public boolean hasBegun() {
            return life.thread() != null;
        }

        /** Returns whether the body's thread is waiting for a lock, for other threads, or for time to pass. */
        public boolean isThreadWaiting() {
            Thread current = life.thread();
            return current != null
                    && switch (current.getState()) {
                        case BLOCKED, WAITING, TIMED_WAITING -> true;
                        case NEW, RUNNABLE, TERMINATED -> false;
                    };
        }

        /** Returns the current wait of the body's thread, or {@link ThreadWait#NONE} if it has no thread. */
        public ThreadWait threadWait() {
            Thread current = life.thread();
            return current == null ? ThreadWait.NONE : ThreadWait.of(current);
        }

        /** Returns the lock for which the body's thread is waiting, or null. */
        public @Nullable Object lockWaitedFor() {
            Thread current = life.thread();
            if (current == null) {
                return null;
            }
            return switch (current.getState()) {
                // The JDK does not report the monitor, so all monitors count as one lock.
                case BLOCKED -> Thread.State.BLOCKED;
                case WAITING, TIMED_WAITING ->
                    LockSupport.getBlocker(current) instanceof AbstractOwnableSynchronizer lock
                                    && lock.getClass().getEnclosingClass() != CountDownLatch.class
                            ? lock
                            : null;
                case NEW, RUNNABLE, TERMINATED -> null;
            };
        }

        /** Returns whether {@link #interrupt} was called, even if user code has swallowed the interrupt. */
        public boolean isInterruptRequested() {
            return life.isInterruptRequested();
        }

        /**
         * Clears an interrupt that user code left behind, before the next call of user code. Must be called on the
         * task's own thread.
         *
         * @return false if the task must end
         */
        public boolean mayGoOn() {
            boolean ignored = Thread.interrupted();
            return !life.isInterruptRequested();
        }

        /**
         * Blocks further interrupts and clears a pending one, before cleanup. Must be called on the task's own thread.
         */
        public void shield() {
            life.shield();
        }

        private void ended() {
            members.remove(this);
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
