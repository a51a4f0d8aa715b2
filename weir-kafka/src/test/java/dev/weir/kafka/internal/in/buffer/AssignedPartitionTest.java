package dev.weir.kafka.internal.in.buffer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.internal.in.buffer.AssignedPartition.PauseReason;
import dev.weir.kafka.internal.in.offsets.FinishedSet;
import dev.weir.kafka.internal.in.offsets.OffsetTracker;
import dev.weir.stream.spi.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class AssignedPartitionTest {

    private static final TopicPartition ID = new TopicPartition("t", 3);
    private static final Uuid TOPIC = new Uuid(1, 2);

    private final AtomicInteger wakeUps = new AtomicInteger();
    private final AssignedPartition partition = partition(Long.MAX_VALUE);

    private AssignedPartition partition(long endOffset) {
        return new AssignedPartition(ID, tracker(), endOffset, 5, 4, 7);
    }

    private OffsetTracker tracker() {
        return new OffsetTracker(100, wakeUps::incrementAndGet);
    }

    private static FinishedSet finished(long from, long to) {
        FinishedSet.Builder set = new FinishedSet.Builder();
        set.add(from, to);
        return set.build();
    }

    // ---- Pauses ----------------------------------------------------------------------------------------------------

    @Test
    void newPartition_isNotPaused_unlessItsEndIsUnknown() {
        assertThat(partition.isPaused()).isFalse();
        assertThat(partition.isToBePaused()).isFalse();
        assertThat(partition.isPausedFor(PauseReason.END)).isFalse();
        assertThat(partition.mayResume()).isFalse();
        AssignedPartition endless = partition(AssignedPartition.UNKNOWN);
        assertThat(endless.isPausedFor(PauseReason.END)).isTrue();
        assertThat(endless.isPaused()).isFalse();
        assertThat(endless.isToBePaused()).isTrue();
        assertThat(endless.pause(PauseReason.FLOW)).isTrue();
        assertThat(endless.isToBePaused()).isFalse();
        assertThat(endless.mayResume()).isFalse();
        endless.learnEnd(9);
        assertThat(endless.endOffset()).isEqualTo(9);
        assertThat(endless.mayResume()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(PauseReason.class)
    void pause_isNewsForTheClientOnce(PauseReason reason) {
        assertThat(partition.pause(reason)).isTrue();
        assertThat(partition.isPaused()).isTrue();
        assertThat(partition.isPausedFor(reason)).isTrue();
        assertThat(partition.pause(reason)).isFalse();
        assertThat(partition.pause(PauseReason.FLOW)).isFalse();
        assertThat(partition.mayResume()).isEqualTo(reason == PauseReason.FLOW);
    }

    @Test
    void partition_thatNoPipelineReads_mayNotResume() {
        partition.beginUnread();
        assertThat(partition.isToBePaused()).isTrue();
        assertThat(partition.pause(PauseReason.FLOW)).isTrue();
        assertThat(partition.mayResume()).isFalse();
        partition.endUnread();
        assertThat(partition.mayResume()).isTrue();
        partition.resume(1);
        assertThat(partition.isPaused()).isFalse();
        assertThat(partition.isToBePaused()).isFalse();
    }

    @Test
    void heldPartition_mayNotResume_untilItsPositionIsKnown() {
        partition.hold();
        assertThat(partition.pause(PauseReason.FLOW)).isTrue();
        assertThat(partition.mayResume()).isFalse();
        partition.place();
        assertThat(partition.mayResume()).isTrue();
    }

    @Test
    void fullOfBytes_isThePartitionThatBytesPaused_untilItResumes() {
        assertThat(partition.isFullOfBytes()).isFalse();
        assertThat(partition.pauseForBytes()).isTrue();
        assertThat(partition.isFullOfBytes()).isTrue();
        assertThat(partition.pauseForBytes()).isFalse();
        partition.resume(1);
        assertThat(partition.isFullOfBytes()).isFalse();
        assertThat(partition.pause(PauseReason.FLOW)).isTrue();
        assertThat(partition.pauseForBytes()).isFalse();
        assertThat(partition.isFullOfBytes()).as("paused by records before").isFalse();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void timeOfPauses_isCountedByTheirLimit(boolean ofBytes) {
        for (int i = 0; i < 2; i++) {
            long start = 1_000L * i;
            assertThat(ofBytes ? partition.pauseForBytes() : partition.pause(PauseReason.FLOW))
                    .isTrue();
            assertThat(partition.stoodStillNanos(ofBytes, start + 100)).isEqualTo(70L * i);
            partition.standsStillFrom(start);
            assertThat(partition.stoodStillNanos(ofBytes, start + 50)).isEqualTo(70L * i + 50);
            assertThat(partition.stoodStillNanos(!ofBytes, start + 50)).isZero();
            partition.resume(start + 70);
            assertThat(partition.stoodStillNanos(ofBytes, start + 100)).isEqualTo(70L * (i + 1));
            assertThat(partition.stoodStillNanos(!ofBytes, start + 100)).isZero();
        }
    }

    @Test
    void timeOfAPause_withAnotherReason_isNotCounted() {
        assertThat(partition.pause(PauseReason.FLOW)).isTrue();
        partition.standsStillFrom(10);
        assertThat(partition.pause(PauseReason.END)).isFalse();
        assertThat(partition.stoodStillNanos(false, 50)).isZero();
    }

    @Test
    void timeOfAPause_neverFalls() {
        assertThat(partition.pause(PauseReason.FLOW)).isTrue();
        partition.standsStillFrom(10);
        assertThat(partition.stoodStillNanos(false, 40)).isEqualTo(30);
        partition.beginUnread();
        assertThat(partition.stoodStillNanos(false, 50))
                .as("with another reason")
                .isEqualTo(30);
        partition.endUnread();
        assertThat(partition.stoodStillNanos(false, 60)).as("alone again").isEqualTo(40);
        assertThat(partition.renewed(tracker(), false).stoodStillNanos(false, 65))
                .as("of the new object")
                .isEqualTo(45);
        partition.resume(70);
        assertThat(partition.stoodStillNanos(false, 99)).isEqualTo(50);
    }

    // ---- The position ----------------------------------------------------------------------------------------------

    @Test
    void position_ofTheGroup_isOpenedBeforeItIsUsed() {
        partition.skip(finished(5, 6));
        partition.hold();
        assertThat(partition.isHeld()).isTrue();
        assertThat(partition.isOpening()).isFalse();
        assertThat(partition.finishedEarlier()).isEqualTo(FinishedSet.EMPTY);
        partition.open(TOPIC);
        assertThat(partition.isHeld()).isTrue();
        assertThat(partition.isOpening()).isTrue();
        assertThat(partition.topicId()).isEqualTo(TOPIC);
        partition.goOnAtCommit();
        assertThat(partition.isHeld()).isFalse();
        assertThat(partition.isOpening()).isFalse();
        assertThat(partition.isPlaced()).isFalse();
        partition.place();
        assertThat(partition.isPlaced()).isTrue();
        assertThat(partition.isHeld()).isFalse();
        partition.hold();
        assertThat(partition.isPlaced()).isFalse();
        assertThat(partition.isHeld()).isTrue();
    }

    @Test
    void hold_keepsAnOpeningPartitionOpening_butForgetsItsFinishedOffsets() {
        partition.open(null);
        partition.skip(finished(5, 6));
        partition.hold();
        assertThat(partition.isOpening()).isTrue();
        assertThat(partition.finishedEarlier()).isEqualTo(FinishedSet.EMPTY);
    }

    @Test
    void topicId_isWritten_ifTheBrokersSupportIt() {
        assertThat(partition.topicIdText()).isNull();
        partition.identified(TOPIC);
        assertThat(partition.topicIdText()).isEqualTo(TOPIC.toString());
        partition.identified(Uuid.ZERO_UUID);
        assertThat(partition.topicId()).isEqualTo(Uuid.ZERO_UUID);
        assertThat(partition.topicIdText()).isNull();
        partition.identified(TOPIC);
        partition.open(null);
        assertThat(partition.topicId()).isNull();
        assertThat(partition.topicIdText()).isNull();
    }

    // ---- Commits ---------------------------------------------------------------------------------------------------

    @Test
    void commit_isRegistered() {
        assertThat(partition.committedOffset()).isEqualTo(AssignedPartition.UNKNOWN);
        partition.committed(5, "text", 70);
        assertThat(partition.committedOffset()).isEqualTo(5);
        assertThat(partition.committedMetadata()).isEqualTo("text");
        assertThat(partition.committedNanos()).isEqualTo(70);
    }

    @Test
    void commitAhead_coversAStartPosition() {
        assertThat(partition.uncommittedPlace()).isEqualTo(AssignedPartition.UNKNOWN);
        partition.placeIsUncommitted(3);
        assertThat(partition.uncommittedPlace()).isEqualTo(3);
        partition.committedAhead(9, 80);
        assertThat(partition.uncommittedPlace()).isEqualTo(AssignedPartition.UNKNOWN);
        assertThat(partition.committedOffset()).isEqualTo(9);
        assertThat(partition.committedNanos()).isEqualTo(80);
    }

    @Test
    void settledCommit_isRecognizedByItsOffsetVersionAndTopic() {
        partition.identified(TOPIC);
        assertThat(partition.isSettledAt(5, 0)).isFalse();
        partition.settledAt(5, 2);
        assertThat(partition.isSettledAt(5, 2)).isTrue();
        assertThat(partition.isSettledAt(6, 2)).isFalse();
        assertThat(partition.isSettledAt(5, 3)).isFalse();
        partition.identified(new Uuid(1, 3));
        assertThat(partition.isSettledAt(5, 2)).isFalse();
    }

    @Test
    void firstDropped_isTheLowestOffset() {
        assertThat(partition.firstDropped()).isEqualTo(Long.MAX_VALUE);
        partition.dropped(7);
        partition.dropped(9);
        assertThat(partition.firstDropped()).isEqualTo(7);
        partition.dropped(4);
        assertThat(partition.firstDropped()).isEqualTo(4);
    }

    @Test
    void finishedRecords_areCountedUntilACommitBegins() {
        List<Long> tokens = append(5);
        tokens.subList(0, 3).forEach(partition.tracker()::ack);
        partition.advance();
        partition.tracker().ack(tokens.get(3));
        partition.advance();
        assertThat(partition.finishedSinceCommit()).isEqualTo(4);
        partition.beginCommit();
        assertThat(partition.finishedSinceCommit()).isZero();
        partition.tracker().ack(tokens.get(4));
        partition.advance();
        assertThat(partition.finishedSinceCommit()).isEqualTo(1);
    }

    private List<Long> append(int records) {
        List<Long> tokens = new ArrayList<>();
        for (int i = 0; i < records; i++) {
            tokens.add(partition.tracker().append(10 + i, 1));
        }
        return tokens;
    }

    // ---- A new object for the partition ----------------------------------------------------------------------------

    @Test
    void renewedPartition_keepsWhatItIs_andHasNoPositionAndRecords() {
        RecordBuffer buffer = new RecordBuffer(Clock.SYSTEM);
        partition.goOutBy(buffer);
        partition.identified(TOPIC);
        partition.place();
        partition.committed(12, "text", 3);
        List<Long> tokens = append(3);
        assertThat(tokens).hasSize(3);
        assertThat(partition.pauseForBytes()).isTrue();
        partition.beginUnread();
        partition.dropped(11);

        OffsetTracker fresh = tracker();
        AssignedPartition renewed = partition.renewed(fresh, false);
        assertThat(renewed.id()).isEqualTo(ID);
        assertThat(renewed).hasToString("t-3");
        assertThat(renewed.tracker()).isSameAs(fresh);
        assertThat(fresh.placeAt(1)).isEqualTo("t-3@1");
        assertThat(renewed.outlet()).isSameAs(buffer);
        assertThat(renewed.topicId()).isEqualTo(TOPIC);
        assertThat(renewed.topicIdText()).isEqualTo(TOPIC.toString());
        assertThat(renewed.isFullOfBytes()).isTrue();
        assertThat(renewed.isPaused()).isTrue();
        assertThat(renewed.isPausedFor(PauseReason.UNREAD)).isTrue();
        assertThat(renewed.isPausedFor(PauseReason.END)).isFalse();
        assertThat(renewed.buffered().priority).isEqualTo(5);
        assertThat(renewed.buffered()).isNotSameAs(partition.buffered());
        assertThat(renewed.weight()).isEqualTo(4);
        assertThat(renewed.epoch()).isEqualTo(7);
        assertThat(renewed.isPlaced()).isFalse();
        assertThat(renewed.committedOffset()).isEqualTo(AssignedPartition.UNKNOWN);
        assertThat(renewed.firstDropped()).isEqualTo(Long.MAX_VALUE);
    }

    /** After a seek, a bounded read reads on to its end. */
    @Test
    void renewedPartition_isReadAgain_unlessEverythingEndsOrItsEndIsUnknown() {
        assertThat(partition.pause(PauseReason.END)).isTrue();
        assertThat(partition.renewed(tracker(), false).mayResume()).isTrue();
        assertThat(partition.renewed(tracker(), true).isPausedFor(PauseReason.END))
                .isTrue();
        AssignedPartition endless = partition(AssignedPartition.UNKNOWN);
        assertThat(endless.renewed(tracker(), false).isPausedFor(PauseReason.END))
                .isTrue();
        AssignedPartition running = partition(9);
        assertThat(running.renewed(tracker(), true).isToBePaused()).isTrue();
        assertThat(running.renewed(tracker(), false).endOffset()).isEqualTo(9);
    }

    @Test
    void partitionThatContinues_skipsWhatWasFinished() {
        List<Long> tokens = append(4);
        partition.tracker().ack(tokens.get(0));
        partition.tracker().ack(tokens.get(2));
        partition.skip(finished(20, 22));
        partition.committed(10, "text", 3);
        partition.advance();
        AssignedPartition continued = partition.renewed(tracker(), false);
        continued.continueAfter(partition, 11);
        assertThat(continued.finishedEarlier().contains(11)).isFalse();
        assertThat(continued.finishedEarlier().contains(12)).isTrue();
        assertThat(continued.finishedEarlier().contains(13)).isFalse();
        assertThat(continued.finishedEarlier().contains(20, 22)).isTrue();
        assertThat(continued.committedOffset()).isEqualTo(10);
        assertThat(continued.committedMetadata()).isEqualTo("text");
        assertThat(continued.committedNanos()).isEqualTo(3);
    }

    // ---- Unfinished work -------------------------------------------------------------------------------------------

    @Test
    void unsettledRecords_areWatched_unlessThePipelineHasLeft() {
        assertThat(partition.hasUnsettled()).isFalse();
        List<Long> tokens = append(2);
        assertThat(partition.hasUnsettled()).isTrue();
        partition.tracker().ack(tokens.get(0));
        assertThat(partition.hasUnsettled()).isTrue();
        partition.tracker().ack(tokens.get(1));
        assertThat(wakeUps.get()).isPositive();
        assertThat(partition.hasUnsettled()).isFalse();
        assertThat(partition.finishedSinceCommit()).isEqualTo(2);

        long last = partition.tracker().append(20, 1);
        assertThat(last).isEqualTo(2);
        partition.pipelineLeft();
        assertThat(partition.hasUnsettled()).isFalse();
    }

    @Test
    void ageOfTheFirstUnfinishedOffset_beginsWithItsFirstCheck() {
        assertThat(partition.allFinished()).isFalse();
        assertThat(partition.unfinishedSince(0, 100)).isEqualTo(100);
        assertThat(partition.unfinishedSince(0, 250)).isEqualTo(100);
        assertThat(partition.unfinishedSince(1, 300)).isEqualTo(300);
        assertThat(partition.allFinished()).isTrue();
        assertThat(partition.allFinished()).isFalse();
        assertThat(partition.unfinishedSince(1, 400)).isEqualTo(400);
        assertThat(partition.unfinishedSince(0, 500)).isEqualTo(500);
        assertThat(partition.allFinished()).as("offset 0 is one, too").isTrue();
    }
}
