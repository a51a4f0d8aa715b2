package dev.weir.lean.internal.net;

import java.nio.ByteBuffer;

/**
 * Holds one response at a time. Confined to one thread. It is free when nobody retains it; it grows to the largest response
 * that it had to take, up to a limit, and never shrinks.
 */
public final class ReceiveBuffer {

    private static final int FIRST_BYTES = 64 * 1024;

    private final int limitBytes;
    private ByteBuffer bytes = ByteBuffer.allocateDirect(FIRST_BYTES);
    private int users;

    ReceiveBuffer(int limitBytes) {
        this.limitBytes = limitBytes;
    }

    /** The response: from 0 to the limit. Nobody moves the position without setting it back to 0. */
    public ByteBuffer bytes() {
        return bytes;
    }

    /** Makes room for a response, or for as much of it as is allowed. */
    void prepare(int size) {
        int wanted = Math.min(size, limitBytes);
        if (wanted > bytes.capacity()) {
            long rounded = Integer.highestOneBit(wanted - 1) * 2L;
            bytes = ByteBuffer.allocateDirect((int) Math.min(rounded, limitBytes));
        }
        bytes.clear().limit(wanted);
    }

    /** Whether there was room only for the beginning of a response of that size. */
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

    /** Ends what {@link #retain} began. */
    public void release() {
        if (users < 1) {
            throw new IllegalStateException("released more than retained");
        }
        users--;
    }
}
