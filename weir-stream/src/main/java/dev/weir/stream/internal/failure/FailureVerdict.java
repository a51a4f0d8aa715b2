package dev.weir.stream.internal.failure;

import dev.weir.stream.Supervision.Decision;
import dev.weir.stream.internal.run.FailureTransfer;
import dev.weir.stream.spi.AckTarget;
import java.util.concurrent.CancellationException;

/**
 * The decision about an element without a result. Immutable. Parallel stages store it in place of the element; it is
 * never an element itself.
 *
 * @param failure the last exception of its function
 */
public record FailureVerdict(Decision decision, Throwable failure) {

    /** The verdict on an element that was not processed because its source lost it; its acknowledgement has ended. */
    public static final FailureVerdict REVOKED = new FailureVerdict(
            Decision.SKIP_UNACKNOWLEDGED, new CancellationException("the source has lost the element"));

    /** Returns whether the stream is to fail; otherwise the element must be dropped. */
    public boolean fails() {
        return decision == Decision.FAIL;
    }

    /** Throws the failure if the stream is to fail. */
    public void throwIfFails() {
        if (fails()) {
            throw FailureTransfer.rethrow(failure);
        }
    }

    /** Returns whether the stage is to forget its state. */
    public boolean restarts() {
        return decision == Decision.RESTART;
    }

    /** Ends the pending acknowledgement of the element if it is dropped without redelivery. */
    public void settle(AckTarget target, long token) {
        if (decision == Decision.SKIP || decision == Decision.RESTART) {
            target.ack(token);
        }
    }
}
