package dev.weir.lean.internal.net;

import dev.weir.lean.spi.InvariantException;
import java.nio.ByteBuffer;

/**
 * Holds one response at a time. Confined to one thread. It is free when nothing retains it. It grows to the largest
 * response so far, up to a limit, and never shrinks. It grows with the bytes received, not with the announced size.
 */
public final class ReceiveBuffer {

    private static final int FIRST_BYTES = 64 * 1024;

    private final int limitBytes;
    private ByteBuffer bytes = ByteBuffer.allocateDirect(FIRST_BYTES);
    private int users;

    /** Missing bytes of the response, at most up to the limit. */
    private int wanted;

    ReceiveBuffer(int limitBytes) {
        this.limitBytes = limitBytes;
    }

    /** The response, from 0 to the limit. Users that move the position set it back to 0. */
    public ByteBuffer bytes() {
        return bytes;
    }

    /** Prepares for the beginning of a response of that size, or for as much of it as is allowed. */
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

    /** Returns whether there is space for all wanted bytes. */
    boolean hasRoom() {
        return bytes.limit() == wanted;
    }

    /** Doubles the space once it is full. */
    void grow() {
        long doubled = Math.min(2L * bytes.capacity(), Integer.highestOneBit(wanted - 1) * 2L);
        bytes = ByteBuffer.allocateDirect((int) Math.min(doubled, limitBytes)).put(bytes.flip());
        bytes.limit(Math.min(wanted, bytes.capacity()));
    }

    /** Returns whether only the beginning of a response of that size fits. */
    public boolean isCut(int sizeBytes) {
        return sizeBytes > bytes.limit();
    }

    boolean isFree() {
        return users == 0;
    }

    /** Keeps the response from being overwritten. */
    public void retain() {
        users++;
    }

    /** Ends a {@link #retain}. */
    public void release() {
        if (users < 1) {
            throw new IllegalStateException("released more than retained");
        }
        users--;
    }
}
