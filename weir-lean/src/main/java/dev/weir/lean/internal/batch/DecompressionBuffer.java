package dev.weir.lean.internal.batch;

import java.nio.ByteBuffer;

/**
 * The buffer for decompressed batches: a reused direct buffer that grows to the largest batch seen. Confined to one
 * thread. Bytes are put at its position; the records are read from 0.
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

    /** The current buffer, which {@link #room} may replace. */
    ByteBuffer bytes() {
        return bytes;
    }

    /** Ensures this many free bytes at the position, and keeps the bytes before it. */
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
                // The JVM's limit for direct memory is lower than ours, and this batch is too large for it.
                throw new TooLargeException(capacity);
            }
        }
        return bytes.limit(bytes.capacity());
    }

    /** Ensures at least one free byte. */
    ByteBuffer room() throws TooLargeException {
        return room(1);
    }
}
