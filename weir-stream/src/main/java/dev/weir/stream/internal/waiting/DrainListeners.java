package dev.weir.stream.internal.waiting;

import dev.weir.stream.Action;
import dev.weir.stream.DrainReport;
import dev.weir.stream.spi.JvmExit;
import dev.weir.stream.spi.Thrown;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The actions to call with the report of a run, once each and without the lock. Thread-safe. */
public final class DrainListeners {

    private static final Logger LOG = System.getLogger(DrainListeners.class.getName());

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final ReentrantLock lock = new ReentrantLock();
    private final CountDownLatch done = new CountDownLatch(1);

    // Guarded by the lock.
    private final Queue<Action<? super DrainReport>> actions = new ArrayDeque<>();
    private @Nullable DrainReport report;
    private boolean isTold;

    /** The thread calling the actions; null otherwise, because a thread retains the run's objects. */
    private volatile @Nullable Thread teller;

    /** Adds an action. If the report is available, calls it now. */
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

    /** Makes the report available, unless one already is. From then on, {@link #add} calls its action at once. */
    public void conclude(DrainReport of) {
        lock.lock();
        try {
            report = report == null ? of : report;
        } finally {
            lock.unlock();
        }
    }

    /** Concludes with the report and calls the actions, unless they have already been called. */
    public void tell(DrainReport of) {
        DrainReport now;
        lock.lock();
        try {
            if (isTold) {
                return;
            }
            isTold = true;
            now = report == null ? of : report;
            report = now;
            teller = Thread.currentThread();
        } finally {
            lock.unlock();
        }
        // No actions are added once the report is available, so this needs no lock.
        actions.forEach(action -> call(action, now));
        actions.clear();
        done.countDown();
        teller = null;
    }

    /**
     * Waits up to {@code nanos} until the actions have been called. Does not wait for an action that has called
     * System.exit.
     */
    public void await(long nanos) throws InterruptedException {
        long endNanos = System.nanoTime() + nanos;
        long left = nanos;
        while (left > 0 && !done.await(Math.min(left, LOOK_NANOS), TimeUnit.NANOSECONDS)) {
            Thread calling = teller;
            if (calling != null && JvmExit.isExiting(calling)) {
                return;
            }
            left = endNanos - System.nanoTime();
        }
    }

    private static void call(Action<? super DrainReport> action, DrainReport report) {
        try {
            action.accept(report);
        } catch (Exception | Error thrown) {
            LOG.log(Level.WARNING, "An action for the end of a pipeline failed: " + Thrown.text(thrown), thrown);
        }
    }
}
