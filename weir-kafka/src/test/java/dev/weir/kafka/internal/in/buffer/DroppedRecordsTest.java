package dev.weir.kafka.internal.in.buffer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerSnapshot.RecordRange;
import dev.weir.kafka.internal.in.buffer.DroppedRecords.Reason;
import dev.weir.kafka.internal.in.offsets.OffsetTracker;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class DroppedRecordsTest {

    private static final TopicPartition A = new TopicPartition("t", 0);
    private static final TopicPartition B = new TopicPartition("t", 1);
    private static final TopicPartition C = new TopicPartition("u", 0);

    private final DroppedRecords records = new DroppedRecords(true);

    /** Creates a partition with three unfinished records, which a stage works on. */
    private static AssignedPartition partition(TopicPartition id, long offset) {
        OffsetTracker tracker = new OffsetTracker(10, () -> {});
        AssignedPartition partition = new AssignedPartition(id, tracker, Long.MAX_VALUE);
        for (int i = 0; i < 3; i++) {
            tracker.append(offset + i, 1);
        }
        return partition;
    }

    private static AssignedPartition abandoned(TopicPartition id, long offset) {
        AssignedPartition partition = partition(id, offset);
        for (int token = 0; token < 3; token++) {
            partition.tracker().abandon(token);
        }
        return partition;
    }

    private static RecordRange range(TopicPartition id, long from, long to, long count, String reason) {
        return RecordRange.of(id.topic(), id.partition(), from, to, count, reason);
    }

    @Test
    void records_areDropped_onceNoStageWorksOnThem() {
        AssignedPartition partition = partition(A, 10);
        records.add(List.of(partition), Reason.REVOKED);
        assertThat(records.dropped(false)).isEmpty();
        assertThat(records.dropped(true)).containsExactly(range(A, 10, 13, 3, "revoked"));
        partition.tracker().abandon(1);
        assertThat(records.dropped(false)).containsExactly(range(A, 10, 13, 1, "revoked"));
        assertThat(records.dropped(true)).containsExactly(range(A, 10, 13, 3, "revoked"));
        partition.tracker().ack(0);
        partition.tracker().ack(2);
        assertThat(records.dropped(false)).containsExactly(range(A, 11, 12, 1, "revoked"));
        assertThat(records.dropped(true)).containsExactly(range(A, 11, 12, 1, "revoked"));
        records.add(List.of(abandoned(B, 20)), Reason.LOST);
        records.add(List.of(partition(C, 5)), Reason.SEEK);
        assertThat(records.dropped(true))
                .containsExactly(
                        range(A, 11, 12, 1, "revoked"), range(B, 20, 23, 3, "lost"), range(C, 5, 8, 3, "seek"));
    }

    @Test
    void finishedRecords_areNotDropped() {
        AssignedPartition partition = partition(A, 10);
        records.add(List.of(partition), Reason.REVOKED);
        AssignedPartition idle = partition(B, 10);
        for (int token = 0; token < 3; token++) {
            partition.tracker().ack(token);
            idle.tracker().ack(token);
        }
        records.add(List.of(idle), Reason.REVOKED);
        assertThat(records.dropped(true)).isEmpty();
        DroppedRecords none = new DroppedRecords(false);
        none.add(List.of(abandoned(A, 10)), Reason.REVOKED);
        none.leave(List.of(abandoned(A, 10)));
        assertThat(none.dropped(true)).isEmpty();
        assertThat(none.leftUndone()).isZero();
    }

    @Test
    void recreatedTopic_changesTheReason_ofItsPartitionOutOfRangeOnly() {
        AssignedPartition inWork = partition(A, 30);
        records.add(List.of(abandoned(A, 10), abandoned(B, 10), abandoned(C, 10)), Reason.OUT_OF_RANGE);
        records.add(List.of(abandoned(A, 20)), Reason.SEEK);
        assertThat(records.dropped(false)).hasSize(4);
        records.add(List.of(inWork, partition(B, 30)), Reason.OUT_OF_RANGE);
        records.add(List.of(partition(A, 40)), Reason.SEEK);
        records.wasRecreated(A);
        assertThat(records.dropped(true))
                .containsExactly(
                        range(A, 10, 13, 3, "recreated"),
                        range(B, 10, 13, 3, "out-of-range"),
                        range(C, 10, 13, 3, "out-of-range"),
                        range(A, 20, 23, 3, "seek"),
                        range(A, 30, 33, 3, "recreated"),
                        range(B, 30, 33, 3, "out-of-range"),
                        range(A, 40, 43, 3, "seek"));
    }

    @Test
    void skippedOffsets_areListedOnce_ifThereAreAny() {
        records.skip(A, 10, 15, Reason.OUT_OF_RANGE);
        records.skip(A, 10, 15, Reason.OUT_OF_RANGE);
        records.skip(A, 15, 15, Reason.OUT_OF_RANGE);
        records.skip(A, 15, 10, Reason.OUT_OF_RANGE);
        records.skip(B, 10, 11, Reason.RECREATED);
        assertThat(records.skipped())
                .containsExactly(range(A, 10, 15, 5, "out-of-range"), range(B, 10, 11, 1, "recreated"));
        assertThat(records.dropped(true)).isEmpty();
    }

    @Test
    void manyRanges_areMerged_byPartitionAndReason() {
        for (int i = 0; i < 999; i++) {
            records.skip(A, 10L * i, 10L * i + 5, Reason.SEEK);
        }
        records.skip(B, 70, 75, Reason.SEEK);
        records.skip(B, 40, 50, Reason.SEEK);
        records.skip(B, 80, 82, Reason.SEEK);
        records.skip(B, 80, 82, Reason.RECREATED);
        records.skip(C, 0, 1, Reason.SEEK);
        records.skip(new TopicPartition("u", 1), 0, 1, Reason.SEEK);
        List<RecordRange> skipped = records.skipped();
        assertThat(skipped.subList(998, skipped.size()))
                .containsExactly(
                        range(A, 9_980, 9_985, 5, "seek"),
                        range(B, 40, 82, 17, "seek"),
                        range(B, 80, 82, 2, "recreated"),
                        range(C, 0, 1, 1, "seek"),
                        range(new TopicPartition("u", 1), 0, 1, 1, "seek"));
    }

    /** Every revocation adds an assignment, so the list would grow without a limit. */
    @Test
    void manyEndedAssignments_areCounted_inAnyOrderOfTheirEnds() {
        AssignedPartition inWork = partition(B, 10);
        records.add(List.of(inWork), Reason.REVOKED);
        for (int i = 0; i < 40; i++) {
            records.add(List.of(abandoned(A, 10L * i)), Reason.REVOKED);
        }
        assertThat(records.dropped(false)).hasSize(40);
        inWork.tracker().abandon(0);
        inWork.tracker().ack(1);
        inWork.tracker().ack(2);
        assertThat(records.dropped(false)).hasSize(41).contains(range(B, 10, 11, 1, "revoked"));
    }

    @Test
    void recordsLeftAtTheEnd_areTheUnfinishedOnes() {
        AssignedPartition partition = partition(A, 10);
        partition.tracker().ack(0);
        partition.tracker().abandon(1);
        assertThat(records.leftUndone()).isZero();
        records.leave(List.of(partition, partition(B, 10)));
        assertThat(records.leftUndone()).isEqualTo(5);
        partition.tracker().ack(2);
        assertThat(records.leftUndone()).isEqualTo(4);
    }
}
