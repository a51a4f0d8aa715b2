package dev.weir.kafka.internal.in.buffer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.internal.in.fetch.Fetched;
import dev.weir.kafka.internal.in.offsets.OffsetTracker;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.StageMeter;
import dev.weir.stream.testing.VirtualClock;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class PausedPartitionsTest {

    private final VirtualClock clock = new VirtualClock();
    private final RecordBuffer buffer = new RecordBuffer(clock);
    private final PausedPartitions pauses = new PausedPartitions();
    private final AssignedPartition partition = partition();

    private AssignedPartition partition() {
        AssignedPartition made =
                new AssignedPartition(new TopicPartition("t", 0), new OffsetTracker(10, () -> {}), Long.MAX_VALUE);
        made.goOutBy(buffer);
        return made;
    }

    private void add(AssignedPartition to) {
        buffer.add(to, Batch.of(new Object[1], 1, to.tracker(), new long[] {
            to.tracker().append(0, 1)
        }));
    }

    private int taken() throws InterruptedException {
        Batch<Fetched> batch = buffer.take(clock.nanoTime(), new StageMeter());
        return batch == null ? -1 : batch.size();
    }

    @Test
    void pause_beforeThePartitionComes_holdsItFromTheStart() throws InterruptedException {
        pauses.pause(List.of(partition.id()));
        pauses.assigned(partition);
        add(partition);
        assertThat(taken()).isZero();
        pauses.resume(List.of(partition.id()));
        assertThat(taken()).isEqualTo(1);
    }

    @Test
    void pauses_thatOverlap_holdUntilTheLastIsTakenBack() throws InterruptedException {
        pauses.assigned(partition);
        add(partition);
        pauses.pauseAll();
        pauses.pause(List.of(partition.id()));
        pauses.pause("t");
        pauses.resume(List.of(partition.id()));
        assertThat(taken()).isZero();
        pauses.resume("t");
        assertThat(taken()).as("all are paused").isZero();
        pauses.resumeAll();
        assertThat(taken()).isEqualTo(1);
        assertThat(pauses.isPaused(partition.id())).isFalse();
    }

    @Test
    void pauseAllBut_letsTheseFlow_untilAPauseOfTheirOwnOrOfAll() throws InterruptedException {
        pauses.assigned(partition);
        pauses.pauseAllBut(List.of(partition.id()));
        assertThat(pauses.isPaused(new TopicPartition("t", 1))).isTrue();
        add(partition);
        assertThat(taken()).isEqualTo(1);
        pauses.pause("t");
        add(partition);
        assertThat(taken()).isZero();
        pauses.resume("t");
        pauses.pauseAll();
        assertThat(taken()).as("none is left out any more").isZero();
        pauses.pauseAllBut(List.of());
        assertThat(taken()).isZero();
        pauses.resumeAll();
        assertThat(taken()).isEqualTo(1);
    }

    @Test
    void pause_isKeptByAPartitionThatBeginsAnew() throws InterruptedException {
        pauses.assigned(partition);
        pauses.pause("t");
        AssignedPartition renewed = partition();
        pauses.assigned(renewed);
        // Withdrawing the replaced object has no effect.
        pauses.withdrawn(List.of(partition));
        add(renewed);
        assertThat(taken()).isZero();
        pauses.resumeAll();
        assertThat(taken()).isEqualTo(1);
    }

    // Regression: with at-most-once delivery, the committed records of a paused partition were lost in a rebalance.
    @Test
    void withdrawnPartition_isLetGo_asNobodyElseWillSeeWhatWasCommitted() throws InterruptedException {
        pauses.assigned(partition);
        pauses.pause(List.of(partition.id()));
        add(partition);
        pauses.withdrawn(List.of(partition));
        assertThat(taken()).isEqualTo(1);
        assertThat(pauses.isPaused(partition.id())).as("should it come back").isTrue();
    }
}
