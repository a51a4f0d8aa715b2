package dev.weir.kafka.internal.out.client;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Records in flight, each identified by a token. Thread-safe: the sender adds a record, and the producer's thread
 * removes it.
 */
final class OutstandingRecords {

    private static final int CHUNK_BITS = 10;
    private static final int CHUNK = 1 << CHUNK_BITS;
    private static final int MASK = CHUNK - 1;

    /** A range of consecutive tokens. It is removed when its last record is removed. */
    private static final class Chunk {
        final long number;
        final @Nullable PendingSend[] slots = new PendingSend[CHUNK];
        final AtomicInteger left = new AtomicInteger(CHUNK);

        Chunk(long number) {
            this.number = number;
        }
    }

    private final AtomicLong next = new AtomicLong();
    private final ConcurrentHashMap<Long, Chunk> chunks = new ConcurrentHashMap<>();

    // The last used chunks, cached to avoid map lookups. Concurrent writes only cause further lookups.
    private volatile Chunk lastAdded = new Chunk(-1);
    private volatile Chunk lastRemoved = lastAdded;

    long add(PendingSend sending) {
        long token = next.getAndIncrement();
        long number = token >>> CHUNK_BITS;
        Chunk chunk = lastAdded;
        if (chunk.number != number) {
            chunk = chunks.computeIfAbsent(number, Chunk::new);
            lastAdded = chunk;
        }
        chunk.slots[(int) token & MASK] = sending;
        return token;
    }

    /** Removes and returns a record. Must be called once per token. */
    PendingSend remove(long token) {
        long number = token >>> CHUNK_BITS;
        Chunk chunk = lastRemoved;
        if (chunk.number != number) {
            chunk = chunks.get(number);
            if (chunk == null) {
                throw new IllegalStateException("nothing is in flight with token " + token);
            }
            lastRemoved = chunk;
        }
        int slot = (int) token & MASK;
        PendingSend sending = chunk.slots[slot];
        if (sending == null) {
            throw new IllegalStateException("nothing is in flight with token " + token);
        }
        chunk.slots[slot] = null;
        if (chunk.left.decrementAndGet() == 0) {
            chunks.remove(number);
        }
        return sending;
    }
}
