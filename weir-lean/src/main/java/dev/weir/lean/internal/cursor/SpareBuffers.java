package dev.weir.lean.internal.cursor;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Direct buffers that nobody uses, for the next copies. Confined to one thread. What is given beyond the bound is left
 * to the collector, the oldest first.
 */
final class SpareBuffers {

    /** Least buffer size, so that few sizes serve all. */
    static final int LEAST_BYTES = 64 * 1024;

    private final long maxBytes;
    private final List<ByteBuffer> free = new ArrayList<>();
    private long freeBytes;
    private int made;

    /** @param maxBytes of all that are kept */
    SpareBuffers(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    /** The smallest one with room for so many bytes, or a new one; to be given back. */
    ByteBuffer take(int bytes) {
        int best = -1;
        for (int i = 0; i < free.size(); i++) {
            int capacity = free.get(i).capacity();
            if (capacity >= bytes && (best < 0 || capacity < free.get(best).capacity())) {
                best = i;
            }
        }
        if (best < 0) {
            made++;
            return ByteBuffer.allocateDirect(rounded(bytes));
        }
        ByteBuffer buffer = free.remove(best);
        freeBytes -= buffer.capacity();
        return buffer.clear();
    }

    private static int rounded(int bytes) {
        return (int) Math.min(Integer.MAX_VALUE, 2L * Integer.highestOneBit(Math.max(LEAST_BYTES, bytes) - 1));
    }

    /** Ends what {@link #take} began. */
    void give(ByteBuffer buffer) {
        free.add(buffer);
        freeBytes += buffer.capacity();
        while (freeBytes > maxBytes) {
            freeBytes -= free.remove(0).capacity();
        }
    }

    /** The number of buffers made in all. */
    int made() {
        return made;
    }
}
