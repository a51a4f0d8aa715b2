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
 * Detects whether a running pipeline is at rest: it has nothing to do before an external event such as an element, an
 * acknowledgement or an advance of its clock. Thread-safe.
 *
 * <p>It sees only the threads of the run: work on an executor of the user does not count, and a sleeping handler counts
 * as at rest. The answer is certain on a {@link VirtualClock}, which knows which waiting stages were signalled,
 * provided that handlers do not wait for each other. Otherwise it relies on thread states: a woken thread may briefly
 * look as if it were waiting, especially on a dispatcher's pool.
 */
public final class RestProbe {

    /**
     * Number of readings: one reading samples each thread at a different moment, and two threads may pass work to each
     * other in between.
     */
    private static final int LOOKS = 3;

    // A woken thread still looks parked until it gets a processor. A virtual thread that is just parking may be delayed
    // like that for a hundred milliseconds on a busy machine. So the object it waits for is checked too: whether the
    // clock has signalled it, whether the lock or latch is free. Both change before any thread is woken.

    private final PipelineRun run;

    public RestProbe(RunningPipeline running) {
        if (!(Objects.requireNonNull(running, "running") instanceof PipelineRun known)) {
            throw new IllegalArgumentException("not a pipeline that was started by run(): " + running);
        }
        this.run = known;
    }

    /** Waits until the pipeline is at rest. Returns false if it is not after {@code limit} of system time. */
    @SuppressWarnings("ThreadPriorityCheck") // a hint: the observed threads may need this processor
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
        // No thread has begun to wait since, so all were waiting at the same time.
        long waits = clock.waits();
        return run.isAtRest(thread -> isWaiting(thread) && !clock.isCalled(thread)) && clock.waits() == waits;
    }

    /** Returns whether a thread waits for another one, or for time. */
    static boolean isWaiting(Thread thread) {
        Thread.State state = thread.getState();
        return (state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING)
                && !isFree(LockSupport.getBlocker(thread));
    }

    /**
     * Returns whether the blocker is a free lock or an open latch, so that a thread waiting for it is about to
     * continue.
     */
    private static boolean isFree(@Nullable Object blocker) {
        if (blocker == null) {
            return false;
        }
        Class<?> of = blocker.getClass().getEnclosingClass();
        // AbstractQueuedSynchronizer documents this text; its state itself is not accessible.
        return (of == ReentrantLock.class || of == CountDownLatch.class)
                && blocker.toString().contains("[State = 0,");
    }
}
