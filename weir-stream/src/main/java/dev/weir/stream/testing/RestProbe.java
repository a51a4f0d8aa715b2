package dev.weir.stream.testing;

import dev.weir.stream.RunningPipeline;
import dev.weir.stream.internal.run.PipelineRun;
import java.time.Duration;

/**
 * Tells whether a running pipeline has anything left to do before something comes from outside: an element, an
 * acknowledgement, a time of its clock. Thread-safe.
 *
 * <p>It looks at the threads of the run and sees those only. What a stage has handed to an executor of the user is not
 * waited for, and a handler that sleeps is at rest. Threads of a dispatcher's pool look as if they waited for a moment
 * after they were woken, so the answer is certain for virtual threads alone, on which everything runs by default.
 */
public final class RestProbe {

    /** One look meets each thread at another moment: two may hand work to each other behind its back. */
    private static final int LOOKS = 3;

    private final PipelineRun run;

    public RestProbe(RunningPipeline running) {
        if (!(running instanceof PipelineRun known)) {
            throw new IllegalArgumentException("not a pipeline that was started by run(): " + running);
        }
        this.run = known;
    }

    /** Waits until nothing is left to do; false if something still is after {@code limit} of the system's time. */
    @SuppressWarnings("ThreadPriorityCheck") // a hint: the threads it looks at may need this processor
    public boolean awaitRest(Duration limit) {
        long start = System.nanoTime();
        for (int looks = 0; looks < LOOKS; looks++) {
            if (!run.isAtRest()) {
                looks = -1;
                if (System.nanoTime() - start > limit.toNanos()) {
                    return false;
                }
                Thread.yield();
            }
        }
        return true;
    }
}
