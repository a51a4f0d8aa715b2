package dev.weir.lean.internal.cursor;

import java.util.ArrayDeque;

/** Chunks that nobody uses, and the buffers of those that were copied. Confined to one thread. */
public final class ChunkPool {

    private final ArrayDeque<ResponseChunk> free = new ArrayDeque<>();
    private final SpareBuffers spares;

    /** @param maxSpareBytes kept of buffers that nobody uses */
    public ChunkPool(long maxSpareBytes) {
        this.spares = new SpareBuffers(maxSpareBytes);
    }

    /** A chunk, until it is given back. */
    public ResponseChunk take() {
        ResponseChunk chunk = free.pollLast();
        return chunk == null ? new ResponseChunk() : chunk;
    }

    void give(ResponseChunk chunk) {
        chunk.release(spares);
        free.addLast(chunk);
    }

    /** Frees the response's buffer of a chunk by copying; returns how many bytes that were. */
    int detach(ResponseChunk chunk) {
        return chunk.detach(spares);
    }

    /** The number of buffers made for copies so far. */
    int made() {
        return spares.made();
    }
}
