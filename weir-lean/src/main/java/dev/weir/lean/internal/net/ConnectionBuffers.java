package dev.weir.lean.internal.net;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The buffers that the connections to one broker use, one connection after the other. Confined to one thread.
 *
 * <p>They outlive a connection because they lie outside the heap: what is let go there waits for a collection of the
 * heap, and a consumer that allocates nothing gives no cause for one.
 */
public final class ConnectionBuffers {

    final ByteBuffer size = ByteBuffer.allocateDirect(Integer.BYTES);
    private final ReceiveBuffer one;
    private final ReceiveBuffer other;
    private final OutgoingRequest out = new OutgoingRequest();

    /** @param maxResponseBytes of each of the two for responses */
    public ConnectionBuffers(int maxResponseBytes) {
        one = new ReceiveBuffer(maxResponseBytes);
        other = new ReceiveBuffer(maxResponseBytes);
    }

    /** Makes them ready for another connection. Responses that somebody still reads stay. */
    void reset() {
        size.clear();
        out.forget();
    }

    /** Returns whether there is one for a response. */
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

    /** The bytes being sent. */
    OutgoingRequest out() {
        return out;
    }
}
