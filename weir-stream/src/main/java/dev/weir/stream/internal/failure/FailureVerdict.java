package dev.weir.stream.internal.failure;

import dev.weir.stream.Supervision.Decision;
import dev.weir.stream.internal.run.FailureTransfer;
import dev.weir.stream.spi.AckTarget;
import java.util.concurrent.CancellationException;

/**
 * The decision about an element whose function call failed. Parallel stages store it in place of the element.
 * Immutable.
 *
 * @param failure the last exception of the stage's function
 */
public record FailureVerdict(Decision decision, Throwable failure) {

    /**
     * The verdict on an element that was skipped because its source no longer owned it. Its acknowledgement has ended.
     */
    public static final FailureVerdict REVOKED = new FailureVerdict(
            Decision.SKIP_UNACKNOWLEDGED, new CancellationException("the source has lost the element"));

    public boolean fails() {
        return decision == Decision.FAIL;
    }

    public void throwIfFails() {
        if (fails()) {
            throw FailureTransfer.rethrow(failure);
        }
    }

    public boolean restarts() {
        return decision == Decision.RESTART;
    }

    /** Acknowledges the element if it is dropped and must not be delivered again. */
    public void settle(AckTarget target, long token) {
        if (decision == Decision.SKIP || decision == Decision.RESTART) {
            target.ack(token);
        }
    }
}
