package dev.weir.lean.internal.cursor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lean.internal.net.ReceiveBuffer;
import dev.weir.lean.internal.net.ReceiveBuffers;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests that buffers for paused partitions are reused, within a limit. */
class SpareBuffersTest {

    private static final int LEAST = SpareBuffers.LEAST_BYTES;

    private final SpareBuffers spares = new SpareBuffers(8L * LEAST);

    /** Regression: each copy used a new direct buffer. */
    @Test
    void partitionPausedOverAndOver_isCopiedIntoTheSameBuffers() {
        ChunkPool pool = new ChunkPool(8L * LEAST);
        PartitionCursor cursor = new PartitionCursor("t", 0, 0, false, true, pool);
        ReceiveBuffer received = ReceiveBuffers.empty();
        Set<ByteBuffer> copies = Collections.newSetFromMap(new IdentityHashMap<>());
        for (int i = 0; i < 1_000; i++) {
            for (int part = 0; part < 2; part++) {
                ResponseChunk chunk = pool.take();
                received.bytes().put(i % 100 + part, (byte) i);
                chunk.wrap(received, i % 100 + part, 5_000);
                cursor.add(chunk);
                assertThat(cursor.detach()).isEqualTo(5_000 - i % 100 - part);
                assertThat(chunk.bytes().get(chunk.at)).isEqualTo((byte) i);
                copies.add(chunk.bytes());
            }
            assertThat(cursor.detach()).as("copied before").isZero();
            cursor.moveTo(0, -1);
        }
        assertThat(copies).hasSize(2);
    }

    @Test
    void smallestOneThatFits_isTaken() {
        ByteBuffer large = spares.take(2 * LEAST + 1);
        ByteBuffer small = spares.take(1);
        assertThat(large.capacity()).isEqualTo(4 * LEAST);
        spares.give(large);
        spares.give(small.position(7));
        assertThat(spares.take(LEAST)).isSameAs(small);
        assertThat(small.position()).isZero();
        assertThat(spares.take(LEAST)).isSameAs(large);
        assertThat(spares.take(LEAST)).isNotSameAs(large);
    }

    @Test
    void moreThanTheBound_isNotKept() {
        ByteBuffer oldest = spares.take(8 * LEAST);
        ByteBuffer newest = spares.take(LEAST);
        spares.give(oldest);
        spares.give(newest);
        assertThat(spares.take(LEAST)).isSameAs(newest);
        assertThat(spares.take(LEAST)).isNotSameAs(oldest);
    }

    @Test
    void smallestOneThatFits_isTaken_inAnyOrder() {
        ByteBuffer small = spares.take(LEAST);
        ByteBuffer large = spares.take(2 * LEAST);
        assertThat(small.capacity()).isEqualTo(LEAST);
        assertThat(large.capacity()).isEqualTo(2 * LEAST);
        spares.give(small);
        spares.give(large);
        assertThat(spares.take(1)).isSameAs(small);
    }

    @Test
    void asMuchAsTheBound_isKept() {
        ByteBuffer whole = spares.take(8 * LEAST);
        spares.give(whole);
        assertThat(spares.take(1)).isSameAs(whole);
        spares.give(whole);
        assertThat(spares.take(1)).as("what was taken does not count").isSameAs(whole);
    }
}
