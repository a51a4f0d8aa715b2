package dev.weir.stream.internal.failure;

import dev.weir.stream.Supervision;
import dev.weir.stream.Supervision.Decision;
import dev.weir.stream.spi.Machinery;
import java.util.Objects;

/** Applies a supervision, except to failures that always fail the stream. Stateless. */
public final class SupervisionDecisions {

    private SupervisionDecisions() {}

    /** Returns the decision on {@code failure}. It is always FAIL after a fatal error and on a cancelled thread. */
    static Decision here(Supervision supervision, Throwable failure) {
        return Machinery.isFailure(failure) ? Decision.FAIL : asked(supervision, failure);
    }

    /**
     * Returns the decision on a failure on a thread outside the pipeline. An interrupt of that thread has no effect.
     */
    public static Decision elsewhere(Supervision supervision, Throwable failure) {
        return failure instanceof InterruptedException || Machinery.isOfTheProgram(failure)
                ? Decision.FAIL
                : asked(supervision, failure);
    }

    private static Decision asked(Supervision supervision, Throwable failure) {
        return Objects.requireNonNull(supervision.decider().apply(failure), "the supervision decided nothing");
    }
}
