package dev.weir.kafka.internal.in.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import dev.weir.kafka.internal.in.offsets.OffsetTracker;
import dev.weir.lean.spi.InvariantException;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class CommitInvariantsTest {

    private static final int RECORDS = 2_000;

    private final OffsetTracker tracker = new OffsetTracker(RECORDS, () -> {});
    private final AssignedPartition partition =
            new AssignedPartition(new TopicPartition("t", 3), tracker, Long.MAX_VALUE);
    private final CommitTexts texts = new CommitTexts(
            new MockConsumer<byte[], byte[]>("earliest"),
            ConsumerSettings.builder().bootstrapServers("h:1").build(),
            new ManualClock());

    /** Appends records. A record's token is its index among all appended records. */
    private void append(long firstOffset, int count) {
        for (int i = 0; i < count; i++) {
            tracker.append(firstOffset + i, 1);
        }
    }

    private void finish(long from, long to) {
        for (long token = from; token < to; token++) {
            tracker.ack(token);
        }
        partition.advance();
    }

    private void assertCommits(long offset) {
        assertThat(texts.commit(partition, offset).offset()).isEqualTo(offset);
    }

    private void assertViolation(int number, long offset, String state) {
        assertThatExceptionOfType(InvariantException.class)
                .isThrownBy(() -> texts.commit(partition, offset))
                .withMessageContaining("invariant " + number + " does not hold: a commit never ")
                .withMessageContaining("t-3@" + offset + " ")
                .withMessageContaining(state)
                .satisfies(violation -> assertThat(violation.number()).isEqualTo(number));
    }

    @Test
    void commitPastAnUnfinishedRecord_violatesAnInvariant() {
        append(100, 10);
        finish(0, 4);
        finish(5, 10);
        assertCommits(104);
        assertViolation(5, 105, "finishedTo=104 outstanding=6 readTo=110 committed=-1 dropped=none");
        assertViolation(5, 110, "finishedTo=104");
        finish(4, 5);
        assertCommits(110);
    }

    /** The records fill several chunks of the tracker, with a gap in their offsets. */
    @Test
    void commitPastAnUnfinishedRecord_behindManyAndBehindAGap_violatesAnInvariant() {
        append(0, 600);
        append(5_000, 600);
        finish(0, 900);
        assertCommits(5_300);
        assertViolation(5, 5_301, "finishedTo=5300");
        finish(900, 1_200);
        assertCommits(5_600);
        assertCommits(9_000);
    }

    @Test
    void commitPastARecordThatWasAbandoned_violatesAnInvariant() {
        append(0, 3);
        tracker.abandon(1);
        finish(0, 1);
        finish(2, 3);
        assertCommits(1);
        assertViolation(5, 2, "finishedTo=1 outstanding=2");
    }

    @Test
    void commitPastARecordThatWasFetchedInVain_violatesAnInvariant() {
        append(0, 3);
        partition.dropped(tracker.forgetFrom(2));
        finish(0, 2);
        assertCommits(2);
        assertViolation(5, 3, "dropped=2");
    }

    @Test
    void commitBeforeTheLastOne_violatesAnInvariant() {
        append(0, 10);
        finish(0, 8);
        partition.committed(8, "", 0);
        assertCommits(8);
        assertViolation(6, 7, "finishedTo=8 outstanding=2 readTo=10 committed=8");
    }
}
