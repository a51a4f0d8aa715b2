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
 * Tells whether a running pipeline has anything left to do before something comes from outside: an element, an
 * acknowledgement, a time of its clock. Thread-safe.
 *
 * <p>It looks at the threads of the run and sees those only. Work that a stage has handed to an executor of the user is
 * not waited for, and a handler that sleeps is at rest. The answer is certain on a {@link VirtualClock}, by which
 * stages wait so that it knows which of them was called, and as far as handlers do not wait for each other. Otherwise
 * it goes by the states of threads: one that was woken may look for a moment as if it waited, above all on a
 * dispatcher's pool.
 */
public final class RestProbe {

    /**
     * Readings to take: one meets each thread at another moment, and two threads may hand work to each other behind its
     * back.
     */
    private static final int LOOKS = 3;

    // A thread's state tells that it has been woken only when it has had a processor; with a virtual thread that holds
    // for the few instructions between its parking and the look whether it was unparked meanwhile, in which its carrier
    // may stand for a hundred milliseconds on a busy machine. So what a thread waits for is asked as well: the clock
    // whether it was signalled, a lock or a latch whether it is free. Both change before anybody is woken.

    private final PipelineRun run;

    public RestProbe(RunningPipeline running) {
        if (!(Objects.requireNonNull(running, "running") instanceof PipelineRun known)) {
            throw new IllegalArgumentException("not a pipeline that was started by run(): " + running);
        }
        this.run = known;
    }

    /** Waits until nothing is left to do; false if something still is after {@code limit} of the system's time. */
    @SuppressWarnings("ThreadPriorityCheck") // a hint: the threads it looks at may need this processor
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
        // Nobody has begun to wait since: so all waited at the same time.
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
     * Returns whether that is a lock or a latch which nobody holds or closes any more, so that a thread that waits
     * there is about to go on.
     */
    private static boolean isFree(@Nullable Object blocker) {
        if (blocker == null) {
            return false;
        }
        Class<?> of = blocker.getClass().getEnclosingClass();
        // The text is documented at AbstractQueuedSynchronizer; the state itself is not to be had.
        return (of == ReentrantLock.class || of == CountDownLatch.class)
                && blocker.toString().contains("[State = 0,");
    }
}
