package dev.weir.lean.internal.cursor;

import dev.weir.lean.internal.net.ReceiveBuffer;
import dev.weir.lean.internal.wire.AbortedTransactions;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The records of one partition in one response. Retains the response's buffer until {@link #release} or {@link #detach}
 * is called. Confined to one thread; reused for later responses.
 */
public final class ResponseChunk {

    private static final ByteBuffer NOTHING = ByteBuffer.allocateDirect(0);

    private final AbortedTransactions aborted = new AbortedTransactions();
    private @Nullable ReceiveBuffer response;
    private ByteBuffer bytes = NOTHING;

    int at;

    private int end;

    /** Sets the range of a response that this chunk refers to, and retains the response's buffer. */
    public void wrap(ReceiveBuffer buffer, int from, int to) {
        buffer.retain();
        response = buffer;
        bytes = buffer.bytes();
        at = from;
        end = to;
    }

    /** The response's list of aborted transactions, to be filled by the caller. */
    public AbortedTransactions aborted() {
        return aborted;
    }

    ByteBuffer bytes() {
        return bytes;
    }

    int end() {
        return end;
    }

    /** Copies the remaining bytes to free the response's buffer. Returns the number of copied bytes. */
    int detach(SpareBuffers spares) {
        if (response == null) {
            return 0;
        }
        int left = end - at;
        ByteBuffer copy = spares.take(left).put(0, bytes, at, left);
        response.release();
        response = null;
        bytes = copy;
        at = 0;
        end = left;
        return left;
    }

    void release(SpareBuffers spares) {
        if (response != null) {
            response.release();
            response = null;
        } else if (bytes != NOTHING) {
            spares.give(bytes);
        }
        bytes = NOTHING;
        at = 0;
        end = 0;
    }
}
