package dev.weir.lean.internal.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.lean.spi.InvariantException;
import org.junit.jupiter.api.Test;

/** Tests the invariants of a receive buffer with chunks. */
class ReceiveBufferTest {

    @Test
    void bufferThatAChunkRefersTo_isNotFilledAgain() {
        ReceiveBuffer buffer = ReceiveBuffers.empty();
        buffer.prepare(100);
        buffer.retain();
        buffer.bytes().position(100);
        assertThatExceptionOfType(InvariantException.class)
                .isThrownBy(() -> buffer.prepare(50))
                .withMessageContaining("invariant 40 does not hold: a receive buffer is not filled again while a chunk")
                .withMessageContaining("chunks=1 next response=50 bytes");
        assertThat(buffer.bytes().position()).as("as it was").isEqualTo(100);
        buffer.release();
        buffer.prepare(50);
        assertThat(buffer.bytes().limit()).isEqualTo(50);
    }
}
