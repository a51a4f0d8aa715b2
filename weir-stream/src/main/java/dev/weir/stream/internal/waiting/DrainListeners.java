package dev.weir.stream.internal.waiting;

import dev.weir.stream.Action;
import dev.weir.stream.DrainReport;
import dev.weir.stream.spi.Thrown;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The actions to call with the report of a run. Each action is called once, without holding the lock. Thread-safe. */
public final class DrainListeners {

    private static final Logger LOG = System.getLogger(DrainListeners.class.getName());

    private final ReentrantLock lock = new ReentrantLock();
    private final CountDownLatch done = new CountDownLatch(1);

    // Guarded by the lock.
    private final Queue<Action<? super DrainReport>> actions = new ArrayDeque<>();
    private @Nullable DrainReport report;

    /** Adds an action. If the report is already available, the action is called immediately. */
    public void add(Action<? super DrainReport> action) {
        DrainReport now;
        lock.lock();
        try {
            now = report;
            if (now == null) {
                actions.add(action);
            }
        } finally {
            lock.unlock();
        }
        if (now != null) {
            call(action, now);
        }
    }

    /** Calls the actions, unless they have already been called. */
    public void tell(DrainReport of) {
        lock.lock();
        try {
            if (report != null) {
                return;
            }
            report = of;
        } finally {
            lock.unlock();
        }
        // The lock is not needed here, because no actions are added once the report is available.
        actions.forEach(action -> call(action, of));
        actions.clear();
        done.countDown();
    }

    /** Waits until the actions have been called, for at most {@code nanos}. */
    public void await(long nanos) throws InterruptedException {
        boolean ignored = done.await(nanos, TimeUnit.NANOSECONDS);
    }

    private static void call(Action<? super DrainReport> action, DrainReport report) {
        try {
            action.accept(report);
        } catch (Exception | Error thrown) {
            LOG.log(Level.WARNING, "An action for the end of a pipeline failed: " + Thrown.text(thrown), thrown);
        }
    }
}
