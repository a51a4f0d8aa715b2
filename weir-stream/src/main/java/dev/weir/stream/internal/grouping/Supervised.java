package dev.weir.stream.internal.grouping;

import dev.weir.stream.Supervision;
import dev.weir.stream.internal.run.Failures;
import dev.weir.stream.spi.AckTarget;

/** What becomes of an element for which a user's function threw. Thread-safe if the decider is. */
record Supervised(Supervision supervision) {

    /**
     * Drops the element as decided, or throws {@code failure}.
     *
     * @return whether the stage is to forget its state
     */
    boolean dropsState(Throwable failure, AckTarget target, long token) {
        Supervision.Decision decision = supervision.decide(failure);
        if (decision == Supervision.Decision.FAIL) {
            throw Failures.rethrow(failure);
        }
        if (decision != Supervision.Decision.SKIP_UNACKNOWLEDGED) {
            target.ack(token);
        }
        return decision == Supervision.Decision.RESTART;
    }
}
