package dev.weir.stream.testing;

import dev.weir.stream.RunningPipeline;
import dev.weir.stream.internal.run.ArgumentChecks;
import dev.weir.stream.internal.run.PipelineRun;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Detects whether a running pipeline is at rest. A pipeline is at rest if it has nothing to do until an external event
 * occurs, such as an element, an acknowledgement, or an advance of its clock. Thread-safe.
 *
 * <p>The probe sees only the threads of the run. It ignores work on the user's own executors, and it considers a
 * sleeping handler to be at rest. A {@link VirtualClock} can tell which waiting threads have been signalled, so the
 * result is certain unless handlers wait for each other. On other clocks, the probe relies on thread states, and a
 * thread that has just been woken may still appear to be waiting, especially on a dispatcher's pool.
 */
public final class RestProbe {

    /**
     * Number of consecutive checks that must find the pipeline at rest. A single check is not enough, because it
     * examines the threads at different moments, and two threads may pass work to each other in between.
     */
    private static final int LOOKS = 3;

    // Thread states alone are not enough to detect rest. A thread that has been woken still appears parked until it
    // gets a processor. If a virtual thread is woken just before it parks, this may take a hundred milliseconds on a
    // busy machine. The probe therefore also checks the object that the thread is waiting for: whether the clock has
    // signalled the thread, and whether the lock or latch is free. Both of these change before the thread is woken.

    private final PipelineRun run;

    public RestProbe(RunningPipeline running) {
        if (!(Objects.requireNonNull(running, "running") instanceof PipelineRun known)) {
            throw new IllegalArgumentException("not a pipeline that was started by run(): " + running);
        }
        this.run = known;
    }

    /**
     * Waits until the pipeline is at rest. Returns false if it is not at rest after {@code limit}, measured by the
     * system clock.
     */
    @SuppressWarnings("ThreadPriorityCheck") // lets the observed threads run on this processor
    public boolean awaitRest(Duration limit) {
        long limitNanos = ArgumentChecks.nanos(Objects.requireNonNull(limit, "limit"));
        long start = System.nanoTime();
        for (int looks = 0; looks < LOOKS; looks++) {
            if (!isAtRest()) {
                looks = -1;
                if (System.nanoTime() - start > limitNanos) {
                    return false;
                }
                Thread.yield();
            }
        }
        return true;
    }

    private boolean isAtRest() {
        if (!(run.clock() instanceof VirtualClock clock)) {
            return run.isAtRest(RestProbe::isWaiting);
        }
        // The threads are checked one after the other. If no thread starts a new wait during these checks, all threads
        // were waiting at the same time.
        long waits = clock.waits();
        return run.isAtRest(thread -> isWaiting(thread) && !clock.isCalled(thread)) && clock.waits() == waits;
    }

    /** Returns whether a thread is waiting for another thread or for time to pass. */
    static boolean isWaiting(Thread thread) {
        Thread.State state = thread.getState();
        return (state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING)
                && !isFree(LockSupport.getBlocker(thread));
    }

    /**
     * Returns whether the blocker is a free lock or an open latch. A thread that waits for such a blocker is about to
     * continue.
     */
    private static boolean isFree(@Nullable Object blocker) {
        if (blocker == null) {
            return false;
        }
        Class<?> of = blocker.getClass().getEnclosingClass();
        // The state of the lock or latch is not accessible, but toString() contains it, as documented by
        // AbstractQueuedSynchronizer.
        return (of == ReentrantLock.class || of == CountDownLatch.class)
                && blocker.toString().contains("[State = 0,");
    }
}
