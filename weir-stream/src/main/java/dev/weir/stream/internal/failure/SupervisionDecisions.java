package dev.weir.stream.internal.failure;

import dev.weir.stream.Supervision;
import dev.weir.stream.Supervision.Decision;
import dev.weir.stream.spi.Machinery;
import java.util.Objects;

/** Applies a supervision, and holds the failures that it is not asked about. Stateless. */
public final class SupervisionDecisions {

    private SupervisionDecisions() {}

    /**
     * The decision on {@code failure}; FAIL for an error after which no stage can go on, and for any exception on a
     * thread whose work is being cancelled: skipping that element might acknowledge work that was never done.
     */
    static Decision here(Supervision supervision, Throwable failure) {
        return Machinery.isFailure(failure) ? Decision.FAIL : asked(supervision, failure);
    }

    /**
     * The decision on a failure of any thread, such as the one that completes a future: that it is being interrupted
     * says nothing of this pipeline.
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
