package dev.weir.kafka.internal.out.client;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Records in flight, each identified by a numeric token. Thread-safe: the sender adds a record, and the producer's
 * thread removes it. Passing the token through the producer makes the record visible to that thread.
 */
final class OutstandingRecords {

    private static final int CHUNK_BITS = 10;
    private static final int CHUNK = 1 << CHUNK_BITS;
    private static final int MASK = CHUNK - 1;

    /** Records with consecutive tokens. The chunk is removed once all these records have been removed. */
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

    // The chunks used by the last add and the last remove, cached to avoid map lookups. If threads overwrite each
    // other's values, the next call only has to look up its chunk in the map.
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
