package dev.weir.lean.internal.cursor;

import dev.weir.lean.internal.batch.AbortedTransactions;
import dev.weir.lean.internal.net.ReceiveBuffer;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The records of one partition in one response. Confined to one thread; used again for later ones. It retains the response's
 * buffer until {@link #release} or {@link #detach}.
 */
public final class Chunk {

    private static final ByteBuffer NOTHING = ByteBuffer.allocateDirect(0);

    private final AbortedTransactions aborted = new AbortedTransactions();
    private @Nullable ReceiveBuffer lender;
    private ByteBuffer bytes = NOTHING;

    /** Where the next batch begins. */
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

    /** Copies what is left, so that the response's buffer is free. */
    void detach() {
        if (lender != null) {
            ByteBuffer copy = ByteBuffer.allocateDirect(end - at).put(0, bytes, at, end - at);
            lender.release();
            lender = null;
            bytes = copy;
            end -= at;
            at = 0;
        }
    }

    /** Lets go of the bytes. */
    void release() {
        if (lender != null) {
            lender.release();
            lender = null;
        }
        bytes = NOTHING;
        at = 0;
        end = 0;
    }
}
