package dev.weir.kafka.internal.in.owner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.internal.in.buffer.FlowControl;
import dev.weir.kafka.internal.in.lookup.OwnerClock;
import dev.weir.stream.control.BufferControl;
import org.junit.jupiter.api.Test;

class FlowLimitsTest {

    private static final OwnerClock TIME = new OwnerClock() {
        @Override
        public long nanoTime() {
            return 0;
        }

        @Override
        public void park(long forNanos) {}
    };

    private static FlowLimits limits(int maxOutstandingRecords) {
        ConsumerSettings<byte[], byte[]> settings = ConsumerSettings.builder()
                .bootstrapServers("h:1")
                .groupId("g")
                .maxOutstandingRecords(maxOutstandingRecords)
                .bufferBytes(2 << 20)
                .build();
        return new FlowLimits(new FlowControl(settings, 1, 1_024, TIME, () -> {}), settings);
    }

    @Test
    void window_isChangedWithinEightTimesWhatItBeganWith() {
        BufferControl limits = limits(100);
        assertThat(limits.maxOutstandingRecords()).isEqualTo(100);
        limits.maxOutstandingRecords(800);
        assertThat(limits.maxOutstandingRecords()).isEqualTo(800);
        assertThatThrownBy(() -> limits.maxOutstandingRecords(801)).hasMessageContaining("maxOutstandingRecords=801");
        assertThatThrownBy(() -> limits.maxOutstandingRecords(0)).hasMessageContaining("1 to 800");
        assertThat(limits(1_000_000).mostOutstandingRecords()).isEqualTo(1_000_000);
    }

    @Test
    void budget_isChangedWithinAMegabyteAndAQuarterOfTheHeap() {
        BufferControl limits = limits(100);
        limits.bufferBytes(BufferControl.LEAST_BUFFER_BYTES);
        assertThat(limits.bufferBytes()).isEqualTo(BufferControl.LEAST_BUFFER_BYTES);
        limits.bufferBytes(limits.mostBufferBytes());
        assertThatThrownBy(() -> limits.bufferBytes(limits.mostBufferBytes() + 1))
                .hasMessageContaining("bufferBytes=");
        assertThatThrownBy(() -> limits.bufferBytes(1)).hasMessageContaining("1048576 to");
    }
}
