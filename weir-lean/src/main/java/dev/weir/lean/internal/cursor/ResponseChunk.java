package dev.weir.lean.internal.cursor;

import dev.weir.lean.internal.net.ReceiveBuffer;
import dev.weir.lean.internal.wire.AbortedTransactions;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The records of one partition in one response. Confined to one thread; used again for later ones. It retains the
 * response's buffer until {@link #release} or {@link #detach}.
 */
public final class ResponseChunk {

    private static final ByteBuffer NOTHING = ByteBuffer.allocateDirect(0);

    private final AbortedTransactions aborted = new AbortedTransactions();
    private @Nullable ReceiveBuffer lender;
    private ByteBuffer bytes = NOTHING;

    /** The position at which the next batch begins. */
    int at;

    private int end;

    /** Shows the bytes between two positions of a response, and retains it. */
    public void lend(ReceiveBuffer buffer, int from, int to) {
        buffer.retain();
        lender = buffer;
        bytes = buffer.bytes();
        at = from;
        end = to;
    }

    /** The aborted transactions of the response, to be filled by whoever lends. */
    public AbortedTransactions aborted() {
        return aborted;
    }

    ByteBuffer bytes() {
        return bytes;
    }

    int end() {
        return end;
    }

    /** Copies what is left, so that the response's buffer is free; returns how many bytes that were. */
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

    /** Lets go of the bytes. */
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
