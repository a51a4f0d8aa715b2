package dev.weir.lean.internal.batch;

import java.nio.ByteBuffer;

/**
 * The output buffer for decompressed batches: a reused direct buffer that grows to the size of the largest batch so
 * far. Confined to one thread. Codecs write at the buffer's position; records are read from index 0.
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

    /** The current buffer. A call of {@link #room} may replace it. */
    ByteBuffer bytes() {
        return bytes;
    }

    /** Ensures that {@code more} bytes are free after the position. Keeps the bytes before the position. */
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
                // The JVM's limit for direct memory is lower than ours, and this batch exceeds it.
                throw new TooLargeException(capacity);
            }
        }
        return bytes.limit(bytes.capacity());
    }

    ByteBuffer room() throws TooLargeException {
        return room(1);
    }
}
