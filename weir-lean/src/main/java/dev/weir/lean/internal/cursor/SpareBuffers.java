package dev.weir.lean.internal.cursor;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** A pool of direct buffers for copies. Drops its oldest buffers above its size limit. Confined to one thread. */
final class SpareBuffers {

    /** Minimum size of a buffer. Sizes are powers of two, so that buffers can be reused more often. */
    static final int LEAST_BYTES = 64 * 1024;

    private final long maxBytes;
    private final List<ByteBuffer> free = new ArrayList<>();
    private long freeBytes;

    /** @param maxBytes the maximum total size of the unused buffers */
    SpareBuffers(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    /** Returns the smallest unused buffer of this capacity, or a new one. The caller must give it back. */
    ByteBuffer take(int bytes) {
        int best = -1;
        for (int i = 0; i < free.size(); i++) {
            int capacity = free.get(i).capacity();
            if (capacity >= bytes && (best < 0 || capacity < free.get(best).capacity())) {
                best = i;
            }
        }
        if (best < 0) {
            return ByteBuffer.allocateDirect(rounded(bytes));
        }
        ByteBuffer buffer = free.remove(best);
        freeBytes -= buffer.capacity();
        return buffer.clear();
    }

    private static int rounded(int bytes) {
        return (int) Math.min(Integer.MAX_VALUE, 2L * Integer.highestOneBit(Math.max(LEAST_BYTES, bytes) - 1));
    }

    void give(ByteBuffer buffer) {
        free.add(buffer);
        freeBytes += buffer.capacity();
        while (freeBytes > maxBytes) {
            freeBytes -= free.remove(0).capacity();
        }
    }
}
