package dev.weir.kafka.internal.out.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import dev.weir.kafka.internal.in.offsets.OffsetTracker;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class CommitGapsTest {

    private final OffsetTracker tracker = new OffsetTracker(100, () -> {});
    private final List<AssignedPartition> partitions =
            List.of(new AssignedPartition(new TopicPartition("in", 0), tracker, Long.MAX_VALUE));
    private final CommitGaps scatter = new CommitGaps();

    // Regression: if an operator kept records until the end of the stream, the run never ended.
    @Test
    void intake_isHeldWhileSomethingMoves_andNoLonger() {
        long first = tracker.append(0, 1);
        long second = tracker.append(1, 1);
        assertThat(scatter.isWorthHolding(partitions, 0)).isTrue();
        assertThat(scatter.isWorthHolding(partitions, CommitGaps.PATIENCE_NANOS - 1))
                .isTrue();
        assertThat(scatter.isWorthHolding(partitions, CommitGaps.PATIENCE_NANOS))
                .isFalse();
        tracker.ack(first);
        tracker.advance();
        assertThat(scatter.isWorthHolding(partitions, 2 * CommitGaps.PATIENCE_NANOS))
                .isTrue();
        assertThat(scatter.isWorthHolding(partitions, 3 * CommitGaps.PATIENCE_NANOS))
                .isFalse();
        tracker.ack(second);
        scatter.end();
        assertThat(scatter.isThere()).isFalse();
    }
}
