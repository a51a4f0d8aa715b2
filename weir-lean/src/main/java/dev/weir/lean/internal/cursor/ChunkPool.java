package dev.weir.lean.internal.cursor;

import java.util.ArrayDeque;

/** Chunks that nobody uses, and the buffers of those that were copied. Confined to one thread. */
public final class ChunkPool {

    private final ArrayDeque<Chunk> free = new ArrayDeque<>();
    private final SpareBuffers spares;

    /** @param maxSpareBytes kept of buffers that nobody uses */
    public ChunkPool(long maxSpareBytes) {
        this.spares = new SpareBuffers(maxSpareBytes);
    }

    /** A chunk, until it is given back. */
    public Chunk take() {
        Chunk chunk = free.pollLast();
        return chunk == null ? new Chunk() : chunk;
    }

    void give(Chunk chunk) {
        chunk.release(spares);
        free.addLast(chunk);
    }

    /** Frees the response's buffer of a chunk by copying; returns how many bytes that were. */
    int detach(Chunk chunk) {
        return chunk.detach(spares);
    }

    /** The number of buffers made for copies so far. */
    int made() {
        return spares.made();
    }
}
