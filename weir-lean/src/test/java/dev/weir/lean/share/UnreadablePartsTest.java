package dev.weir.lean.share;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.lean.share.AcquiredRange.Lock;
import dev.weir.lean.share.ScriptedReceiver.ScriptedRecord;
import dev.weir.lean.share.ScriptedReceiver.Unreadable;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ShareFetchResponseData.AcquiredRecords;
import org.apache.kafka.common.message.ShareFetchResponseData.PartitionData;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests a batch with a wrong checksum: ten records, offsets 100 to 109. */
class UnreadablePartsTest {

    private static final Lock LOCK = new Lock(0, 2_000_000_000);
    private static final int CHECKSUM = 17;

    private final AcquiredRanges of = new AcquiredRanges(new TopicIdPartition(new Uuid(1, 2), 3, "topic"));
    private final ScriptedReceiver receiver = new ScriptedReceiver();
    private final AcquiredRecordsReader deliveries =
            new AcquiredRecordsReader(receiver, new ShareMember.Reading(true, 1 << 20));

    UnreadablePartsTest() {
        receiver.unreadable = Unreadable.PASS_ON;
    }

    @AfterEach
    void close() {
        deliveries.close();
    }

    private static ByteBuffer batch(int damagedAt, int by) {
        SimpleRecord[] records = new SimpleRecord[10];
        for (int i = 0; i < records.length; i++) {
            records[i] = new SimpleRecord(i, new byte[] {(byte) i});
        }
        ByteBuffer bytes =
                MemoryRecords.withRecords(100, Compression.NONE, records).buffer();
        bytes.put(damagedAt, (byte) (bytes.get(damagedAt) + by));
        return bytes;
    }

    private static PartitionData data(ByteBuffer batch, long first, long last) {
        return new PartitionData()
                .setPartitionIndex(3)
                .setRecords(MemoryRecords.readableRecords(batch))
                .setAcquiredRecords(List.of(new AcquiredRecords()
                        .setFirstOffset(first)
                        .setLastOffset(last)
                        .setDeliveryCount((short) 1)));
    }

    private List<AcquiredRange> answer(ByteBuffer batch, long first, long last) {
        List<AcquiredRange> ranges = deliveries.read(of, data(batch, first, last), LOCK, 0);
        ranges.forEach(range -> of.add(range).forEach(LockedRecord::lose));
        return ranges;
    }

    private List<AcquiredRange> acquire(long first, long last) {
        return answer(batch(CHECKSUM, 1), first, last);
    }

    private void end(LockedRecord locked, AcknowledgeType type) {
        AcquiredRange range = of.find(locked.offset());
        if (range != null) {
            range.end(locked, type.id, 0);
        }
    }

    private void end(ScriptedRecord locked, AcknowledgeType outcome) {
        locked.taken = true;
        locked.outcome = outcome;
        end((LockedRecord) locked, outcome);
        deliveries.unreadable().ended(locked);
        deliveries.unreadable().takeEnded(this::end);
    }

    @ParameterizedTest
    @CsvSource({"ACCEPT", "REJECT", "RELEASE"})
    void partsOfABatch_inSeveralAnswers_areAcknowledgedAsItsOneRecordIs(AcknowledgeType outcome) {
        AcquiredRange first = acquire(100, 103).getFirst();
        AcquiredRange second = acquire(104, 107).getFirst();
        assertThat(receiver.acquired).hasSize(1);
        assertThat(first.hasUnacknowledged()).isFalse();
        assertThat(second.hasUnacknowledged()).isFalse();
        end(receiver.acquired.getFirst(), outcome);
        assertThat(first.takeUnacknowledged()).containsExactly(new AcknowledgementRange(100, 103, outcome.id, 4));
        assertThat(second.takeUnacknowledged()).containsExactly(new AcknowledgementRange(104, 107, outcome.id, 4));
    }

    @Test
    void partAfterTheRecordHasEnded_isRejectedWithoutAnother() {
        acquire(100, 103);
        end(receiver.acquired.getFirst(), AcknowledgeType.ACCEPT);
        AcquiredRange later = acquire(104, 109).getFirst();
        assertThat(later.takeUnacknowledged())
                .containsExactly(new AcknowledgementRange(104, 109, AcknowledgementRange.REJECT, 6));
        assertThat(receiver.acquired).hasSize(1);
    }

    @Test
    void partAfterTheRecordWasReleased_isAcquiredAgain() {
        acquire(100, 103);
        end(receiver.acquired.getFirst(), AcknowledgeType.RELEASE);
        acquire(104, 109);
        assertThat(receiver.acquired).extracting(ScriptedRecord::offset).containsExactly(100L, 104L);
    }

    @Test
    void recordWhoseLockIsLost_givesTheOtherPartsBack() {
        AcquiredRange first = acquire(100, 103).getFirst();
        AcquiredRange second = acquire(104, 109).getFirst();
        first.loseOpen().forEach(LockedRecord::lose);
        deliveries.unreadable().takeEnded(this::end);
        assertThat(second.takeUnacknowledged())
                .containsExactly(new AcknowledgementRange(104, 109, AcknowledgementRange.RELEASE, 6));
        acquire(100, 109);
        assertThat(receiver.acquired).extracting(ScriptedRecord::offset).containsExactly(100L, 100L);
    }

    @Test
    void recordThatIsAcquiredAgain_beforeItsEnd_standsForTheBatchAgain() {
        acquire(100, 103);
        AcquiredRange second = acquire(104, 109).getFirst();
        AcquiredRange again = acquire(100, 103).getFirst();
        assertThat(receiver.acquired).hasSize(2);
        assertThat(receiver.acquired.getFirst().isGone()).isTrue();
        deliveries.unreadable().takeEnded(this::end);
        assertThat(second.takeUnacknowledged())
                .containsExactly(new AcknowledgementRange(104, 109, AcknowledgementRange.RELEASE, 6));
        end(receiver.acquired.getLast(), AcknowledgeType.ACCEPT);
        assertThat(again.takeUnacknowledged())
                .containsExactly(new AcknowledgementRange(100, 103, AcknowledgementRange.ACCEPT, 4));
    }

    @Test
    void partThatIsLeftOut_isToldByItsOffsets_andRejected() {
        receiver.unreadable = Unreadable.SKIP;
        try (AcquiredRecordsReader skipping =
                new AcquiredRecordsReader(receiver, new ShareMember.Reading(true, 1 << 20))) {
            AcquiredRange range = skipping.read(of, data(batch(CHECKSUM, 1), 102, 105), LOCK, 0)
                    .getFirst();
            assertThat(range.takeUnacknowledged())
                    .containsExactly(new AcknowledgementRange(102, 105, AcknowledgementRange.REJECT, 4));
        }
        assertThat(receiver.skipped).containsExactly("topic-3@102..106");
        assertThat(receiver.acquired).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"8, 127, 100", "11, -100, 110", "16, 9, 100"}) // The damaged bytes: length, length, version.
    void headerThatCannotBeFollowed_isNamedByItsPlace(int at, int by, long offset) {
        ByteBuffer damaged = batch(at, by);
        assertThatThrownBy(() -> answer(damaged, 100, 109))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("topic-3@" + offset + ": the log is corrupt here");
    }

    @Test
    void rangeOfMoreOffsetsThanAnArrayHas_isNamedByItsPlace() {
        assertThatThrownBy(() -> acquire(100, 100L + Integer.MAX_VALUE))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("topic-3@100");
    }

    /** The dead-letter record must have the bytes of the batch, which are all that is left of its records. */
    @Test
    void recordOfABatch_hasItsBytes_andTheOffsetAfterIt() {
        ByteBuffer damaged = batch(CHECKSUM, 1);
        byte[] bytes = new byte[damaged.remaining()];
        damaged.duplicate().get(bytes);
        answer(damaged, 102, 105);
        assertThat(receiver.acquired.getFirst().record.value()).isEqualTo(bytes);
        assertThat(receiver.nextOffsets).containsExactly(110L);
    }

    @Test
    void rangeBehindABatchThatIsLeftOut_isNotReported() {
        receiver.unreadable = Unreadable.SKIP;
        PartitionData data = data(batch(CHECKSUM, 1), 102, 105);
        data.setAcquiredRecords(List.of(
                new AcquiredRecords().setFirstOffset(102).setLastOffset(105).setDeliveryCount((short) 1),
                new AcquiredRecords().setFirstOffset(110).setLastOffset(112).setDeliveryCount((short) 1)));
        List<AcquiredRange> ranges = deliveries.read(of, data, LOCK, 0);
        assertThat(receiver.skipped).containsExactly("topic-3@102..106");
        assertThat(ranges.getLast().takeUnacknowledged())
                .containsExactly(new AcknowledgementRange(110, 112, AcknowledgementRange.RELEASE, 3));
    }

    private static ByteBuffer batchOfTwo(long base) {
        ByteBuffer bytes = MemoryRecords.withRecords(
                        base, Compression.NONE, new SimpleRecord(new byte[1]), new SimpleRecord(new byte[1]))
                .buffer();
        bytes.put(CHECKSUM, (byte) (bytes.get(CHECKSUM) + 1));
        return bytes;
    }

    @Test
    void lastThousandBatches_areRemembered() {
        for (int i = 0; i < 1_001; i++) {
            answer(batchOfTwo(2L * i), 2L * i, 2L * i);
            end(receiver.acquired.getLast(), AcknowledgeType.ACCEPT);
        }
        answer(batchOfTwo(2), 3, 3);
        assertThat(receiver.acquired).as("the thousandth").hasSize(1_001);
        answer(batchOfTwo(0), 1, 1);
        assertThat(receiver.acquired).as("the one before").hasSize(1_002);
    }
}
