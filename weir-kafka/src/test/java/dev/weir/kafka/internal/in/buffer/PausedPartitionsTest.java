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
            to.tracker().append(to.tracker().outstanding(), 1)
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
    void pause_isKeptByAPartitionThatBeginsAgain() throws InterruptedException {
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

    /** Its committed records would be lost. */
    @Test
    void withdrawnPartition_isNotHeldByLaterPauses() throws InterruptedException {
        pauses.assigned(partition);
        add(partition);
        pauses.withdrawn(List.of(partition));
        pauses.pause("t");
        pauses.pause(List.of(partition.id()));
        pauses.pauseAll();
        assertThat(taken()).isEqualTo(1);
    }

    @Test
    void resumeAll_endsEveryKindOfPause() throws InterruptedException {
        pauses.assigned(partition);
        add(partition);
        pauses.pause(List.of(partition.id()));
        pauses.resumeAll();
        assertThat(taken()).isEqualTo(1);
        add(partition);
        pauses.pause("t");
        pauses.resumeAll();
        assertThat(taken()).isEqualTo(1);
        add(partition);
        pauses.pauseAll();
        pauses.resumeAll();
        assertThat(taken()).isEqualTo(1);
    }

    @Test
    void pauseOfATopic_holdsItsPartitionsAlone_andItsResumeEndsTheirOwnPauses() throws InterruptedException {
        AssignedPartition other =
                new AssignedPartition(new TopicPartition("u", 0), new OffsetTracker(10, () -> {}), Long.MAX_VALUE);
        other.goOutBy(buffer);
        pauses.assigned(partition);
        pauses.assigned(other);
        pauses.pause(List.of(partition.id(), other.id()));
        pauses.pause("t");
        add(partition);
        add(other);
        assertThat(taken()).isZero();
        pauses.resume("t");
        assertThat(taken()).isEqualTo(1);
        assertThat(buffer.records(partition)).isZero();
        assertThat(pauses.isPaused(partition.id())).isFalse();
        assertThat(pauses.isPaused(other.id())).isTrue();
        assertThat(taken()).isZero();
        pauses.pause("t");
        pauses.resume(List.of(other.id()));
        assertThat(taken()).isEqualTo(1);
        assertThat(pauses.isPaused(partition.id())).isTrue();
        assertThat(pauses.isPaused(new TopicPartition("t", 9))).isTrue();
        assertThat(pauses.isPaused(other.id())).isFalse();
    }

    @Test
    void pauseOfOnePartition_holdsNoOther_alsoIfItIsNotAssigned() throws InterruptedException {
        pauses.assigned(partition);
        add(partition);
        TopicPartition elsewhere = new TopicPartition("t", 1);
        pauses.pause(List.of(elsewhere));
        assertThat(taken()).isEqualTo(1);
        assertThat(pauses.isPaused(elsewhere)).isTrue();
        pauses.resume(List.of(elsewhere, partition.id()));
        assertThat(pauses.isPaused(elsewhere)).isFalse();
    }

    /** A method that kept the lock would stop the owner thread or the user. */
    @Test
    void everyMethod_releasesTheLock() {
        List<Runnable> calls = List.of(
                () -> pauses.assigned(partition),
                () -> pauses.pauseAll(),
                () -> pauses.pauseAllBut(List.of(partition.id())),
                () -> pauses.resumeAll(),
                () -> pauses.pause("t"),
                () -> pauses.resume("t"),
                () -> pauses.pause(List.of(partition.id())),
                () -> pauses.resume(List.of(partition.id())),
                () -> pauses.isPaused(partition.id()),
                () -> pauses.withdrawn(List.of(partition)));
        for (int i = 0; i < calls.size(); i++) {
            calls.get(i).run();
            assertThat(OtherThread.canCall(() -> pauses.isPaused(partition.id())))
                    .as("after call %s", i)
                    .isTrue();
        }
    }
}
