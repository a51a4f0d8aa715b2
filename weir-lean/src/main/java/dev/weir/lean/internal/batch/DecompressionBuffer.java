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

    /** The current buffer. {@link #room} may replace it. */
    ByteBuffer bytes() {
        return bytes;
    }

    /** Makes room for at least {@code more} bytes at the current position. Keeps the bytes already written. */
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
                // The limit allows this size, but the JVM has not enough direct memory.
                throw new TooLargeException(capacity);
            }
        }
        return bytes.limit(bytes.capacity());
    }

    ByteBuffer room() throws TooLargeException {
        return room(1);
    }
}
