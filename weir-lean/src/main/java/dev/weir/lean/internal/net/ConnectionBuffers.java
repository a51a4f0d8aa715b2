package dev.weir.lean.internal.net;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The buffers of a broker's connection, which are reused by the next connection. Confined to one thread.
 *
 * <p>The buffers are reused because they are direct memory. Unreferenced direct memory is freed only by a garbage
 * collection, and a consumer that allocates nothing does not trigger garbage collections.
 */
public final class ConnectionBuffers {

    final ByteBuffer size = ByteBuffer.allocateDirect(Integer.BYTES);
    private final ReceiveBuffer one;
    private final ReceiveBuffer other;
    private final OutgoingRequest out = new OutgoingRequest();

    /** @param maxResponseBytes the largest size of each of the two response buffers */
    public ConnectionBuffers(int maxResponseBytes) {
        one = new ReceiveBuffer(maxResponseBytes);
        other = new ReceiveBuffer(maxResponseBytes);
    }

    /** Prepares the buffers for another connection. Responses that are still being read are kept. */
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
