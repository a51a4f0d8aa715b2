package dev.weir.stream.internal.failure;

import dev.weir.stream.Supervision.Decision;
import dev.weir.stream.internal.run.FailureTransfer;
import dev.weir.stream.spi.AckTarget;
import java.util.concurrent.CancellationException;

/**
 * The decision on an element for which there is no result. Immutable. Parallel stages keep it in the element's place;
 * no stream can have it for an element.
 *
 * @param failure what its function threw last
 */
public record FailureVerdict(Decision decision, Throwable failure) {

    /** The element was not worked on, because its source has lost it; its claim has ended. */
    public static final FailureVerdict REVOKED = new FailureVerdict(
            Decision.SKIP_UNACKNOWLEDGED, new CancellationException("the source has lost the element"));

    /** Returns whether the stream is to fail; otherwise the element is to be dropped. */
    public boolean fails() {
        return decision == Decision.FAIL;
    }

    /** Throws what failed, if the stream is to fail. */
    public void throwIfFails() {
        if (fails()) {
            throw FailureTransfer.rethrow(failure);
        }
    }

    /** Returns whether the stage is to forget its state. */
    public boolean restarts() {
        return decision == Decision.RESTART;
    }

    /** Ends the claim of the element if it is to be dropped and not to come again. */
    public void settle(AckTarget target, long token) {
        if (decision == Decision.SKIP || decision == Decision.RESTART) {
            target.ack(token);
        }
    }
}
