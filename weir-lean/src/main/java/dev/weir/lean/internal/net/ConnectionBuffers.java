package dev.weir.lean.internal.net;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What the connections to one broker receive into and send from, one connection after the other. Confined to one
 * thread.
 *
 * <p>They outlive a connection because they lie outside the heap: what is let go there waits for a collection of the
 * heap, and a consumer that allocates nothing gives no cause for one.
 */
public final class ConnectionBuffers {

    private static final int FIRST_OUT_BYTES = 4 * 1024;

    final ByteBuffer size = ByteBuffer.allocateDirect(Integer.BYTES);
    private final ReceiveBuffer one;
    private final ReceiveBuffer other;
    private ByteBuffer out = ByteBuffer.allocateDirect(FIRST_OUT_BYTES);

    /** @param maxResponseBytes of each of the two for responses */
    public ConnectionBuffers(int maxResponseBytes) {
        one = new ReceiveBuffer(maxResponseBytes);
        other = new ReceiveBuffer(maxResponseBytes);
    }

    /** Makes them ready for another connection. Responses that somebody still reads stay. */
    void reset() {
        size.clear();
        out.limit(0);
    }

    /** Whether there is one for a response. */
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

    /** What is being sent. */
    ByteBuffer out() {
        return out;
    }

    /** Room for so many bytes to be sent, from 0. */
    ByteBuffer outgoing(int bytes) {
        if (bytes > out.capacity()) {
            out = ByteBuffer.allocateDirect(Integer.highestOneBit(bytes) * 2);
        }
        return out.clear();
    }
}
