package dev.weir.lean.internal.net;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The buffers of a broker's connection, passed on from one connection to the next. Confined to one thread.
 *
 * <p>They outlive a connection because they are outside the heap: released direct memory is only freed by a garbage
 * collection, for which a consumer that allocates nothing gives no cause.
 */
public final class ConnectionBuffers {

    final ByteBuffer size = ByteBuffer.allocateDirect(Integer.BYTES);
    private final ReceiveBuffer one;
    private final ReceiveBuffer other;
    private final OutgoingRequest out = new OutgoingRequest();

    /**
     * @param maxResponseBytes limit for each of the two response buffers
     */
    public ConnectionBuffers(int maxResponseBytes) {
        one = new ReceiveBuffer(maxResponseBytes);
        other = new ReceiveBuffer(maxResponseBytes);
    }

    /** Prepares the buffers for another connection. Responses that are still being read stay. */
    void reset() {
        size.clear();
        out.forget();
    }

    /** Returns whether a buffer is free for a response. */
    public boolean hasFree() {
        return one.isFree() || other.isFree();
    }

    @Nullable
    ReceiveBuffer free() {
        if (one.isFree()) {
            return one;
        }
        return other.isFree() ? other : null;
    }

    /** The bytes to be sent. */
    OutgoingRequest out() {
        return out;
    }
}
