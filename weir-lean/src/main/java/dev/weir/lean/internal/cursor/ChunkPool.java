package dev.weir.lean.internal.cursor;

import java.util.ArrayDeque;

/** Chunks that nobody uses. Confined to one thread. */
public final class ChunkPool {

    private final ArrayDeque<Chunk> free = new ArrayDeque<>();

    /** A chunk, until it is given back. */
    public Chunk take() {
        Chunk chunk = free.pollLast();
        return chunk == null ? new Chunk() : chunk;
    }

    void give(Chunk chunk) {
        chunk.release();
        free.addLast(chunk);
    }
}
