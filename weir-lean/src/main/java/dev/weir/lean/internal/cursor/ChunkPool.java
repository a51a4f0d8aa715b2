package dev.weir.lean.internal.cursor;

import java.util.ArrayDeque;

/** A pool of unused chunks, and of unused buffers into which the bytes of chunks are copied. Confined to one thread. */
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

    /** Frees a chunk's response buffer by copying the chunk's bytes. Returns the number of copied bytes. */
    int detach(ResponseChunk chunk) {
        return chunk.detach(spares);
    }
}
