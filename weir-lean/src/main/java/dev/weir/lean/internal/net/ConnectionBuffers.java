package dev.weir.lean.internal.net;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Buffers of a connection to a broker, reused by the next connection. Confined to one thread.
 *
 * <p>The buffers are direct memory, which only a garbage collection frees. A consumer that allocates nothing never
 * triggers one.
 */
public final class ConnectionBuffers {

    final ByteBuffer size = ByteBuffer.allocateDirect(Integer.BYTES);
    private final ReceiveBuffer one;
    private final ReceiveBuffer other;
    private final OutgoingRequest out = new OutgoingRequest();

    /** @param maxResponseBytes the maximum size of each of the two response buffers */
    public ConnectionBuffers(int maxResponseBytes) {
        one = new ReceiveBuffer(maxResponseBytes);
        other = new ReceiveBuffer(maxResponseBytes);
    }

    /** Prepares the buffers for another connection. Responses still in use are kept. */
    void reset() {
        size.clear();
        out.forget();
    }

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

    OutgoingRequest out() {
        return out;
    }
}
