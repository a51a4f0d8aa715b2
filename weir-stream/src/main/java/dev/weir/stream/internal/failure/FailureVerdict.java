package dev.weir.stream.internal.failure;

import dev.weir.stream.Supervision.Decision;
import dev.weir.stream.internal.run.FailureTransfer;
import dev.weir.stream.spi.AckTarget;
import java.util.concurrent.CancellationException;

/**
 * The decision about an element for which a stage's function returned no result. Parallel stages store it in place of
 * the element. Immutable.
 *
 * @param failure the last exception of the stage's function
 */
public record FailureVerdict(Decision decision, Throwable failure) {

    /**
     * The verdict on an element that was not processed because its source no longer owned it. The element's pending
     * acknowledgement has ended.
     */
    public static final FailureVerdict REVOKED = new FailureVerdict(
            Decision.SKIP_UNACKNOWLEDGED, new CancellationException("the source has lost the element"));

    /** Returns whether the stream must fail. If not, the element must be dropped. */
    public boolean fails() {
        return decision == Decision.FAIL;
    }

    /** Throws the failure if the stream must fail. */
    public void throwIfFails() {
        if (fails()) {
            throw FailureTransfer.rethrow(failure);
        }
    }

    /** Returns whether the stage must discard its state. */
    public boolean restarts() {
        return decision == Decision.RESTART;
    }

    /** Ends the element's pending acknowledgement if the element is dropped and must not be delivered again. */
    public void settle(AckTarget target, long token) {
        if (decision == Decision.SKIP || decision == Decision.RESTART) {
            target.ack(token);
        }
    }
}
