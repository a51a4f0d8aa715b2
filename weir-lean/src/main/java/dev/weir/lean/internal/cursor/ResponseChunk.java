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
    private @Nullable ReceiveBuffer lender;
    private ByteBuffer bytes = NOTHING;

    /** The position of the next batch. */
    int at;

    private int end;

    /** Makes this chunk refer to a range of a response, and retains the response's buffer. */
    public void lend(ReceiveBuffer buffer, int from, int to) {
        buffer.retain();
        lender = buffer;
        bytes = buffer.bytes();
        at = from;
        end = to;
    }

    /** The transactions listed as aborted in the response. The caller adds them to the returned object. */
    public AbortedTransactions aborted() {
        return aborted;
    }

    ByteBuffer bytes() {
        return bytes;
    }

    int end() {
        return end;
    }

    /** Frees the response's buffer by copying the remaining bytes. Returns the number of copied bytes. */
    int detach(SpareBuffers spares) {
        if (lender == null) {
            return 0;
        }
        int left = end - at;
        ByteBuffer copy = spares.take(left).put(0, bytes, at, left);
        lender.release();
        lender = null;
        bytes = copy;
        at = 0;
        end = left;
        return left;
    }

    void release(SpareBuffers spares) {
        if (lender != null) {
            lender.release();
            lender = null;
        } else if (bytes != NOTHING) {
            spares.give(bytes);
        }
        bytes = NOTHING;
        at = 0;
        end = 0;
    }
}
