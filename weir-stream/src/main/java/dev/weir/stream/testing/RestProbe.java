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
 * Detects whether a running pipeline is at rest: it has nothing to do until an external event, such as an element, an
 * acknowledgement, or an advance of its clock. Thread-safe.
 *
 * <p>The probe sees only the threads of the run. It ignores work on the user's own executors, and a sleeping handler
 * counts as at rest. With a {@link VirtualClock}, the result is certain unless handlers wait for each other. On other
 * clocks, and in a Kafka source, a thread that has just been woken may still appear to be waiting.
 */
public final class RestProbe {

    /**
     * Number of consecutive checks that must find the pipeline at rest. During one check, two threads may pass work to
     * each other.
     */
    private static final int LOOKS = 3;

    // A woken thread appears parked until it gets a processor, which may take a hundred milliseconds. Therefore also
    // check whether the clock has signalled the thread, and whether the lock or latch is free.

    private final PipelineRun run;

    public RestProbe(RunningPipeline running) {
        if (!(Objects.requireNonNull(running, "running") instanceof PipelineRun known)) {
            throw new IllegalArgumentException("not a pipeline that was started by run(): " + running);
        }
        this.run = known;
    }

    /** Waits until the pipeline is at rest. Returns false after {@code limit}, measured by the system clock. */
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
        // The threads are checked one after the other. If no wait starts meanwhile, all were waiting at the same time.
        long waits = clock.waits();
        return run.isAtRest(thread -> isWaiting(thread) && !clock.isCalled(thread)) && clock.waits() == waits;
    }

    /** Returns whether a thread is waiting for another thread or for time to pass. */
    static boolean isWaiting(Thread thread) {
        Thread.State state = thread.getState();
        return (state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING)
                && !isFree(LockSupport.getBlocker(thread));
    }

    /** Returns whether the blocker is a free lock or an open latch. Its waiting thread is about to continue. */
    private static boolean isFree(@Nullable Object blocker) {
        if (blocker == null) {
            return false;
        }
        Class<?> of = blocker.getClass().getEnclosingClass();
        // AbstractQueuedSynchronizer documents that toString() contains the state, which is otherwise inaccessible.
        return (of == ReentrantLock.class || of == CountDownLatch.class)
                && blocker.toString().contains("[State = 0,");
    }
}
