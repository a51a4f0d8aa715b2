package dev.weir.lean.internal.cursor;

import java.util.ArrayDeque;

/** A pool of unused chunks, and of buffers for copies of their bytes. Confined to one thread. */
public final class ChunkPool {

    private final ArrayDeque<ResponseChunk> free = new ArrayDeque<>();
    private final SpareBuffers spares;

    /** @param maxSpareBytes the maximum total size of the unused buffers */
    public ChunkPool(long maxSpareBytes) {
        this.spares = new SpareBuffers(maxSpareBytes);
    }

    /** Returns an unused chunk. The caller owns the chunk until the chunk is given back. */
    public ResponseChunk take() {
        ResponseChunk chunk = free.pollLast();
        return chunk == null ? new ResponseChunk() : chunk;
    }

    void give(ResponseChunk chunk) {
        chunk.release(spares);
        free.addLast(chunk);
    }

    /** Copies a chunk's bytes to free its response buffer. Returns the number of copied bytes. */
    int detach(ResponseChunk chunk) {
        return chunk.detach(spares);
    }
}
