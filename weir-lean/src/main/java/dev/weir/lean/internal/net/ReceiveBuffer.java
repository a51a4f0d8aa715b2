package dev.weir.lean.internal.net;

import dev.weir.lean.spi.InvariantException;
import java.nio.ByteBuffer;

/**
 * A buffer for one response at a time. Free if nobody retains it. Grows with the bytes received, up to a limit.
 * Confined to one thread.
 */
public final class ReceiveBuffer {

    private static final int FIRST_BYTES = 64 * 1024;

    private final int limitBytes;
    private ByteBuffer bytes = ByteBuffer.allocateDirect(FIRST_BYTES);
    private int users;

    /** Number of bytes to receive: the response's size or the limit, whichever is smaller. */
    private int wanted;

    ReceiveBuffer(int limitBytes) {
        this.limitBytes = limitBytes;
    }

    /** The response, from index 0 to the buffer's limit. A user that moves the position must reset it to 0. */
    public ByteBuffer bytes() {
        return bytes;
    }

    /** Prepares the buffer for a response of the given size. Only the beginning is received if it exceeds the limit. */
    void prepare(int size) {
        if (users != 0) {
            throw new InvariantException(
                    40,
                    "a receive buffer is not filled again while a chunk refers to it",
                    "chunks=" + users + " next response=" + size + " bytes");
        }
        wanted = Math.min(size, limitBytes);
        bytes.clear().limit(Math.min(wanted, bytes.capacity()));
    }

    /** Returns whether the buffer is large enough for all bytes that will be received. */
    boolean hasRoom() {
        return bytes.limit() == wanted;
    }

    /** Doubles the capacity, up to the size needed. Must be called only when the buffer is full. */
    void grow() {
        long doubled = Math.min(2L * bytes.capacity(), Integer.highestOneBit(wanted - 1) * 2L);
        bytes = ByteBuffer.allocateDirect((int) Math.min(doubled, limitBytes)).put(bytes.flip());
        bytes.limit(Math.min(wanted, bytes.capacity()));
    }

    /** Returns whether the limit has cut off a response of the given size. */
    public boolean isCut(int sizeBytes) {
        return sizeBytes > bytes.limit();
    }

    boolean isFree() {
        return users == 0;
    }

    /** Prevents the response from being overwritten until {@link #release} is called. */
    public void retain() {
        users++;
    }

    public void release() {
        if (users < 1) {
            throw new IllegalStateException("released more than retained");
        }
        users--;
    }
}
