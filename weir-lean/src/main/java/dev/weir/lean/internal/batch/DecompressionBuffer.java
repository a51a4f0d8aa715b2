package dev.weir.lean.internal.batch;

import java.nio.ByteBuffer;

/**
 * A direct output buffer for decompressed batches. The buffer is reused, and grows to the size of the largest batch so
 * far. Codecs write at its position, and records are read from index 0. Confined to one thread.
 */
final class DecompressionBuffer {

    private static final int FIRST_BYTES = 256 * 1024;

    private final int limitBytes;
    private ByteBuffer bytes;

    /** @param limitBytes at least 1 */
    DecompressionBuffer(int limitBytes) {
        this.limitBytes = limitBytes;
        this.bytes = ByteBuffer.allocateDirect(Math.min(FIRST_BYTES, limitBytes));
    }

    int limitBytes() {
        return limitBytes;
    }

    /** The current buffer. Calling {@link #room} may replace it. */
    ByteBuffer bytes() {
        return bytes;
    }

    /**
     * Ensures that at least {@code more} bytes can be written at the current position. Preserves the bytes already
     * written.
     */
    ByteBuffer room(long more) throws TooLargeException {
        int used = bytes.position();
        if (more > bytes.capacity() - used) {
            if (more > limitBytes - used) {
                throw new TooLargeException();
            }
            long capacity = Math.max(used + more, Math.min(limitBytes, 2L * bytes.capacity()));
            try {
                bytes = ByteBuffer.allocateDirect((int) capacity).put(bytes.flip());
            } catch (OutOfMemoryError noMemory) {
                // The JVM could not allocate this much direct memory, although our own limit allows it.
                throw new TooLargeException(capacity);
            }
        }
        return bytes.limit(bytes.capacity());
    }

    ByteBuffer room() throws TooLargeException {
        return room(1);
    }
}
