package dev.weir.lean.internal.net;

import dev.weir.lean.spi.InvariantException;
import java.nio.ByteBuffer;

/**
 * A buffer for one response at a time. Confined to one thread. The buffer is free if nothing retains it. It grows to
 * the size of the largest response so far, up to a limit, and never shrinks. The received bytes make the buffer grow,
 * not the size that a response states.
 */
public final class ReceiveBuffer {

    private static final int FIRST_BYTES = 64 * 1024;

    private final int limitBytes;
    private ByteBuffer bytes = ByteBuffer.allocateDirect(FIRST_BYTES);
    private int users;

    /** The number of bytes to receive: the response's size, or the limit if that is smaller. */
    private int wanted;

    ReceiveBuffer(int limitBytes) {
        this.limitBytes = limitBytes;
    }

    /** The response, from 0 to the buffer's limit. Users that move the position must set it back to 0. */
    public ByteBuffer bytes() {
        return bytes;
    }

    /**
     * Prepares the buffer for a response of the given size. If the limit is lower, the buffer receives only the
     * beginning of the response.
     */
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

    /** Returns whether the buffer is large enough for all bytes to receive. */
    boolean hasRoom() {
        return bytes.limit() == wanted;
    }

    /** Doubles the capacity. Call when the buffer is full. */
    void grow() {
        long doubled = Math.min(2L * bytes.capacity(), Integer.highestOneBit(wanted - 1) * 2L);
        bytes = ByteBuffer.allocateDirect((int) Math.min(doubled, limitBytes)).put(bytes.flip());
        bytes.limit(Math.min(wanted, bytes.capacity()));
    }

    /** Returns whether a response of the given size was cut off because it exceeds the limit. */
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

    /** Undoes one {@link #retain}. */
    public void release() {
        if (users < 1) {
            throw new IllegalStateException("released more than retained");
        }
        users--;
    }
}
