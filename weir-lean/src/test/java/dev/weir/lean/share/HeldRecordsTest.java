package dev.weir.lean.share;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lean.share.ScriptedReceiver.ScriptedRecord;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.InvalidRecordStateException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Tests the records held by a share consumer of Kafka's client: offsets 10 to 12, acquired at time 0 for two seconds.
 */
class HeldRecordsTest {

    private static final long SECOND = 1_000_000_000;
    private static final TopicPartition PARTITION = new TopicPartition("topic", 0);

    private final ScriptedReceiver receiver = new ScriptedReceiver();
    private final List<String> told = new ArrayList<>();
    private final Set<Long> forgotten = new HashSet<>();
    private final HeldRecords held = new HeldRecords(
            new HeldRecords.Client() {
                @Override
                public boolean acknowledge(LockedRecord record, AcknowledgeType type) {
                    boolean knows = !forgotten.contains(record.offset());
                    told.add(record.offset() + (knows ? " " : " late ") + type.name());
                    return knows;
                }

                @Override
                public void flush() {
                    told.add("flush");
                }
            },
            receiver);
    private final List<ScriptedRecord> records =
            List.of(ScriptedRecord.at(10), ScriptedRecord.at(11), ScriptedRecord.at(12));

    HeldRecordsTest() {
        held.lockMillis(2_000);
        for (ScriptedRecord record : records) {
            record.taken = true;
            held.add(record, 0, 0);
        }
    }

    /** Returns a record as a poll returns it after its renewal. */
    private ConsumerRecord<byte[], byte[]> polled(long offset) {
        return records.get((int) offset - 10).record;
    }

    private void end(int index, AcknowledgeType type, long nowNanos) {
        ScriptedRecord record = records.get(index);
        record.done = true;
        record.outcome = type;
        held.ended(record, nowNanos);
    }

    private void answer(@Nullable Exception failure, long nowNanos, Long... offsets) {
        held.answered(Map.of(new TopicIdPartition(new Uuid(1, 2), PARTITION), Set.of(offsets)), failure, nowNanos);
    }

    private List<String> attend(long nowNanos) {
        told.clear();
        held.attend(nowNanos, false);
        return told;
    }

    @Test
    void recordThatIsDone_isToldAtOnce_beforeItsNeighbours() {
        end(1, AcknowledgeType.ACCEPT, 1);
        end(2, AcknowledgeType.RELEASE, 1);
        assertThat(attend(1)).containsExactly("11 ACCEPT", "12 RELEASE");
        assertThat(receiver.wentBack).containsExactly(12L);
        assertThat(held.all()).containsExactly(records.get(0));
        assertThat(held.isEmpty()).isFalse();
    }

    /** The client accepts no acknowledgement of a record while its renewal is in flight. */
    @Test
    void recordThatEndsDuringItsRenewal_isToldOnceAPollReturnedIt() {
        assertThat(attend(SECOND)).containsExactly("10 RENEW", "11 RENEW", "12 RENEW");
        end(1, AcknowledgeType.ACCEPT, SECOND);
        assertThat(attend(SECOND)).isEmpty();
        assertThat(held.awaitsRenewals()).isTrue();
        assertThat(held.hasRenewed(SECOND)).isFalse();
        answer(null, SECOND, 10L, 11L, 12L);
        assertThat(held.hasRenewed(SECOND)).isTrue();
        assertThat(attend(SECOND)).isEmpty();
        for (long offset = 10; offset < 13; offset++) {
            assertThat(held.takeUp(polled(offset))).isTrue();
        }
        assertThat(held.takeUp(polled(10))).as("taken up already").isFalse();
        assertThat(held.hasRenewed(SECOND)).isFalse();
        assertThat(attend(SECOND)).containsExactly("11 ACCEPT");
        assertThat(attend(2 * SECOND)).as("under the new lock").containsExactly("10 RENEW", "12 RENEW");
    }

    /** Regression: a new record at the offset of a renewed record was accepted without having been processed. */
    @Test
    void recordOfARecreatedTopic_atTheOffsetOfARenewedOne_isNew() {
        assertThat(attend(SECOND)).hasSize(3);
        answer(null, SECOND, 11L);
        assertThat(held.takeUp(polled(11))).isTrue();
        end(0, AcknowledgeType.ACCEPT, SECOND);
        assertThat(attend(SECOND)).as("waits for the renewal").isEmpty();
        for (int index : new int[] {0, 2}) {
            ScriptedRecord other = ScriptedRecord.at(records.get(index).offset());
            other.taken = true;
            assertThat(held.takeUp(other.record)).isFalse();
            held.add(other, SECOND, SECOND);
            assertThat(attend(SECOND)).as("not yet processed").isEmpty();
            other.done = true;
            held.ended(other, SECOND + 1);
            assertThat(attend(SECOND + 1)).containsExactly(other.offset() + " ACCEPT");
        }
        assertThat(receiver.lost).containsExactly(12L);
        answer(new InvalidRecordStateException("the topic is gone"), SECOND + 2, 10L, 12L);
        assertThat(receiver.refused).isEmpty();
        held.answered(Map.of(new TopicIdPartition(Uuid.randomUuid(), PARTITION), Set.of(10L, 12L)), null, SECOND + 3);
        assertThat(receiver.confirmed).hasSize(3);
    }

    /**
     * The recreated topic's leader answers first. Regression: the former leader's refusal was counted for the new
     * record.
     */
    @Test
    void answerToTheFormerRenewal_afterTheAnswerToTheNewRecord_isDropped() {
        end(1, AcknowledgeType.ACCEPT, 1);
        assertThat(attend(1)).containsExactly("11 ACCEPT");
        answer(null, 1, 11L);
        assertThat(attend(SECOND)).containsExactly("10 RENEW", "12 RENEW");
        ScriptedRecord accepted = ScriptedRecord.at(10);
        ScriptedRecord renewed = ScriptedRecord.at(12);
        for (ScriptedRecord other : List.of(accepted, renewed)) {
            other.taken = true;
            assertThat(held.takeUp(other.record)).isFalse();
            held.add(other, SECOND, SECOND);
        }
        accepted.done = true;
        held.ended(accepted, SECOND);
        assertThat(attend(2 * SECOND)).containsExactly("10 ACCEPT", "12 RENEW");
        held.answered(Map.of(new TopicIdPartition(new Uuid(3, 4), PARTITION), Set.of(10L, 12L)), null, 2 * SECOND);
        answer(new InvalidRecordStateException("the topic is gone"), 2 * SECOND, 10L, 12L);
        assertThat(receiver.confirmed).hasSize(3);
        assertThat(receiver.refused).isEmpty();
        assertThat(receiver.lost).containsExactly(10L, 12L);
        assertThat(renewed.isGone()).isFalse();
        assertThat(held.all()).containsExactly(renewed);
    }

    @Test
    void renewalsThatStayUnanswered_waitForAQuarterOfALock() {
        assertThat(attend(SECOND)).hasSize(3);
        answer(null, SECOND, 10L);
        assertThat(held.hasRenewed(SECOND + 499_999_999)).isFalse();
        assertThat(held.hasRenewed(SECOND + 500_000_000)).isTrue();
        assertThat(held.takeUp(polled(10))).isTrue();
        assertThat(held.hasRenewed(2 * SECOND))
                .as("the client has to hear of the first")
                .isFalse();
        end(0, AcknowledgeType.ACCEPT, SECOND);
        assertThat(attend(2 * SECOND - 1)).containsExactly("10 ACCEPT");
        // Records with an unanswered renewal are lost with their first lock. A poll that returns them is a new
        // delivery.
        assertThat(attend(2 * SECOND)).isEmpty();
        assertThat(receiver.lost).containsExactly(11L, 12L);
        assertThat(held.isEmpty()).isTrue();
        assertThat(held.takeUp(polled(11))).isFalse();
    }

    @Test
    void renewalThatIsRefused_losesItsRecord_alsoIfItsWorkHasEnded() {
        assertThat(attend(SECOND)).hasSize(3);
        end(1, AcknowledgeType.ACCEPT, SECOND);
        answer(new InvalidRecordStateException("off"), SECOND, 10L, 11L);
        assertThat(receiver.lost).containsExactly(10L);
        assertThat(attend(SECOND)).isEmpty();
        assertThat(held.all()).containsExactly(records.get(2));
    }

    /** The broker refuses a whole request if one of its acknowledgements is late. */
    @Test
    void recordsWhoseLocksAreOver_areToldApart() {
        receiver.renews = false;
        end(0, AcknowledgeType.ACCEPT, 2 * SECOND);
        assertThat(attend(2 * SECOND))
                .containsExactly("flush", "10 ACCEPT", "flush", "flush", "11 RELEASE", "12 RELEASE", "flush");
        assertThat(receiver.lost).containsExactly(11L, 12L);
        assertThat(held.isEmpty()).isTrue();
    }

    /** The client waits for the acknowledgement even if the lock has ended. */
    @Test
    void recordThatEndsAsItsLockDoes_isToldAsWhatItIs() {
        receiver.renews = false;
        records.get(0).done = true;
        assertThat(attend(2 * SECOND)).contains("10 ACCEPT", "11 RELEASE", "12 RELEASE");
        held.ended(records.get(0), 2 * SECOND);
        assertThat(attend(2 * SECOND)).isEmpty();
    }

    @Test
    void acknowledgementThatTheClientDoesNotTake_isCounted_andARenewalLosesItsRecord() {
        forgotten.addAll(List.of(10L, 11L));
        end(0, AcknowledgeType.ACCEPT, 1);
        assertThat(attend(SECOND)).containsExactly("10 late ACCEPT", "11 late RENEW", "12 RENEW");
        assertThat(receiver.refused).hasSize(2);
        assertThat(receiver.lost).containsExactly(11L);
        assertThat(held.all()).containsExactly(records.get(2));
    }

    /** The client acknowledges gaps by itself, even without records. */
    @Test
    void gapsOfAPartitionWithoutRecords_hideNoOtherAnswer() {
        end(0, AcknowledgeType.ACCEPT, 1);
        assertThat(attend(1)).containsExactly("10 ACCEPT");
        Map<TopicIdPartition, Set<Long>> answered = new LinkedHashMap<>();
        answered.put(new TopicIdPartition(Uuid.randomUuid(), 7, "gaps"), Set.of(3L));
        answered.put(new TopicIdPartition(Uuid.randomUuid(), PARTITION), Set.of(9L, 10L));
        held.answered(answered, null, 2);
        assertThat(receiver.confirmed).hasSize(1);
    }

    @Test
    void whatIsGivenUp_goesBack_andWhatIsLeftAtTheEndIsLost() {
        assertThat(attend(SECOND)).hasSize(3);
        answer(null, SECOND, 10L);
        assertThat(held.takeUp(polled(10))).isTrue();
        assertThat(held.giveUp(SECOND)).isEqualTo(3);
        assertThat(attend(SECOND)).containsExactly("10 RELEASE");
        held.close();
        assertThat(held.isEmpty()).isTrue();
        assertThat(held.firstOffsets()).isEmpty();
        answer(null, SECOND, 10L);
        assertThat(receiver.confirmed).as("answered as the client closes").hasSize(2);
    }

    @Test
    void firstOffsets_areThoseThatTheClientHasToHearOf() {
        held.publish();
        assertThat(held.firstOffsets()).isEqualTo(Map.of(PARTITION, 10L));
        end(0, AcknowledgeType.ACCEPT, 1);
        assertThat(attend(1)).hasSize(1);
        held.publish();
        assertThat(held.firstOffsets()).isEqualTo(Map.of(PARTITION, 11L));
    }

    // ---- Closing and deliveries ------------------------------------------------------------------------------------

    /** Nobody will acknowledge these records. */
    @Test
    void close_reportsOpenRecordsAsLost_andForgetsAll() {
        held.publish();
        assertThat(attend(SECOND)).hasSize(3);
        assertThat(held.awaitsRenewals()).isTrue();
        held.close();
        assertThat(receiver.lost).containsExactly(10L, 11L, 12L);
        assertThat(held.all()).isEmpty();
        assertThat(held.isEmpty()).isTrue();
        assertThat(held.awaitsRenewals()).isFalse();
        assertThat(held.firstOffsets()).isEmpty();
    }

    /** The broker has ended the first lock, so only the second handler owns the record. */
    @Test
    void recordThatIsAcquiredAgain_losesItsFirstDelivery() {
        ScriptedRecord again = ScriptedRecord.at(11);
        held.add(again, SECOND, SECOND);
        assertThat(receiver.lost).containsExactly(11L);
        assertThat(records.get(1).isGone()).isTrue();
        assertThat(again.isGone()).isFalse();
        assertThat(held.all()).containsExactly(records.get(0), again, records.get(2));
    }

    @Test
    void confirmation_hasTheTimeSinceTheAcknowledgement() {
        assertThat(held.lockMillis()).isEqualTo(2_000);
        end(0, AcknowledgeType.ACCEPT, 1);
        assertThat(attend(100)).containsExactly("10 ACCEPT");
        answer(null, 107, 10L);
        assertThat(receiver.confirmed).containsExactly("accept 1 7");
    }
}
