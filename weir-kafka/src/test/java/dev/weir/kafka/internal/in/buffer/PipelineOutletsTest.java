package dev.weir.kafka.internal.in.buffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.internal.in.buffer.AssignedPartition.PauseReason;
import dev.weir.kafka.internal.in.buffer.PipelineOutlets.Attachment;
import dev.weir.kafka.internal.in.offsets.OffsetTracker;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.StageMeter;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class PipelineOutletsTest {

    private final SteppingClock clock = new SteppingClock();
    private final PipelineOutlets outlets = new PipelineOutlets();
    private final AssignedPartition partition = partition("t");

    private static AssignedPartition partition(String topic) {
        return new AssignedPartition(new TopicPartition(topic, 0), new OffsetTracker(10, () -> {}), Long.MAX_VALUE);
    }

    private Attachment attachment(String... topics) {
        return new Attachment(Set.of(topics), clock);
    }

    private Attachment add(String... topics) {
        Attachment added = attachment(topics);
        outlets.add(added);
        return added;
    }

    private static void emit(AssignedPartition partition) {
        long token = partition.tracker().append(0, 1);
        partition.outlet().add(partition, Batch.of(new Object[1], 1, partition.tracker(), new long[] {token}));
    }

    @Test
    void partition_isReadByThePipelineOfItsTopic_orByThePipelineOfAllOthers() {
        assertThat(outlets.of(partition)).isNull();
        Attachment others = add();
        assertThat(outlets.of(partition)).isSameAs(others);
        Attachment ofTopic = add("t", "u");
        Attachment last = add("v");
        assertThat(outlets.of(partition)).isSameAs(ofTopic);
        assertThat(outlets.of(partition("v"))).isSameAs(last);
        assertThat(outlets.of(partition("w"))).isSameAs(others);
        outlets.remove(ofTopic);
        assertThat(outlets.of(partition)).isSameAs(others);
    }

    @Test
    void openedPartition_goesToItsPipeline_orIsNotRead() {
        outlets.open(partition);
        assertThat(partition.isPausedFor(PauseReason.UNREAD)).isTrue();
        emit(partition);
        assertThat(outlets.records()).as("no pipeline can take it").isZero();
        Attachment reading = add("u");
        AssignedPartition read = partition("u");
        outlets.open(read);
        assertThat(read.isPausedFor(PauseReason.UNREAD)).isFalse();
        assertThat(read.outlet()).isSameAs(reading.buffer);
        reading.closing = true;
        AssignedPartition late = partition("u");
        outlets.open(late);
        assertThat(late.isPausedFor(PauseReason.UNREAD)).isTrue();
        assertThat(late.outlet()).isNotSameAs(reading.buffer);
    }

    @Test
    void records_areCountedInAllPipelines() {
        add("t");
        add("u");
        AssignedPartition other = partition("u");
        outlets.open(partition);
        outlets.open(other);
        emit(partition);
        emit(other);
        assertThat(outlets.records()).isEqualTo(2);
        outlets.withdrawn(List.of(partition));
        assertThat(outlets.records()).as("the emission takes them back").isEqualTo(2);
    }

    @Test
    void pipelines_ofTheSameTopics_areRefused() {
        Attachment first = add("t", "u");
        assertThatThrownBy(() -> add("v", "u"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("another pipeline reads [u] from this consumer already");
        Attachment others = add();
        assertThatThrownBy(this::add).hasMessage("another pipeline reads the other topics from this consumer already");
        assertThat(first.readsSame(others)).isFalse();
        assertThat(others.readsSame(first)).isFalse();
        assertThat(first.readsSame(attachment("x", "t"))).isTrue();
        assertThat(first.readsSame(attachment("x"))).isFalse();
        outlets.remove(first);
        assertThat(add("u").topics()).containsExactly("u");
    }

    @Test
    void end_endsAllBuffers_andRefusesFurtherPipelines() throws InterruptedException {
        Attachment first = add("t");
        Attachment second = add("u");
        outlets.end();
        Batch<?> ofFirst = first.buffer.take(9, new StageMeter());
        Batch<?> ofSecond = second.buffer.take(9, new StageMeter());
        assertThat(ofFirst).isNull();
        assertThat(ofSecond).isNull();
        assertThatThrownBy(() -> add("v"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the reusable consumer is closed");
    }

    @Test
    void closingPipelines_areListed() {
        assertThat(outlets.closing()).isEmpty();
        Attachment first = add("t");
        Attachment second = add("u");
        assertThat(outlets.closing()).isEmpty();
        second.closing = true;
        assertThat(outlets.closing()).containsExactly(second);
        first.closing = true;
        assertThat(outlets.closing()).containsExactly(first, second);
    }

    /** Times of a clock may be negative, and may overflow. */
    @Test
    void earliestDeadline_counts() {
        Attachment attachment = attachment("t");
        attachment.closeBy(-50);
        attachment.closeBy(20);
        assertThat(attachment.patienceNanos(-80)).isEqualTo(30);
        attachment.closeBy(-70);
        assertThat(attachment.patienceNanos(-80)).isEqualTo(10);
        assertThat(attachment.patienceNanos(-60)).isEqualTo(-10);
        Attachment overflowing = attachment("t");
        overflowing.closeBy(Long.MIN_VALUE + 5);
        overflowing.closeBy(Long.MAX_VALUE - 5);
        assertThat(overflowing.patienceNanos(Long.MAX_VALUE - 10)).isEqualTo(5);
    }
}
