package dev.weir.lean.share;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.lean.internal.batch.Batches;
import dev.weir.lean.share.AcquiredRange.Lock;
import dev.weir.lean.share.ScriptedReceiver.ScriptedRecord;
import dev.weir.lean.share.ScriptedReceiver.Unreadable;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.message.ShareFetchResponseData.AcquiredRecords;
import org.apache.kafka.common.message.ShareFetchResponseData.PartitionData;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests reading acquired records. A response contains whole batches, but only some of their offsets are acquired. */
class AcquiredRecordsReaderTest {

    private static final int MAX_BYTES = 1_000_000;
    private static final Lock LOCK = new Lock(17, 2_000_000_000);

    private final ScriptedReceiver receiver = new ScriptedReceiver();
    private final AcquiredRanges ofPartition = new AcquiredRanges(new TopicIdPartition(new Uuid(1, 2), 3, "topic"));

    private AcquiredRecordsReader deliveries(Unreadable policy) {
        receiver.unreadable = policy;
        return new AcquiredRecordsReader(receiver, new ShareMember.Reading(true, MAX_BYTES));
    }

    private static MemoryRecords records(long first, int count) {
        return MemoryRecords.withRecords(
                first,
                Compression.NONE,
                IntStream.range(0, count)
                        .mapToObj(i -> new SimpleRecord(("" + (first + i)).getBytes(StandardCharsets.US_ASCII)))
                        .toArray(SimpleRecord[]::new));
    }

    private static MemoryRecords marker(long offset, ControlRecordType type) {
        return MemoryRecords.withEndTransactionMarker(offset, 0, 4, 77, (short) 0, new EndTransactionMarker(type, 0));
    }

    private static MemoryRecords damaged(MemoryRecords batch) {
        batch.buffer().put(batch.sizeInBytes() - 1, (byte) -1);
        return batch;
    }

    private static AcquiredRecords acquired(long first, long last, int deliveries) {
        return new AcquiredRecords().setFirstOffset(first).setLastOffset(last).setDeliveryCount((short) deliveries);
    }

    private static PartitionData answer(List<AcquiredRecords> acquired, MemoryRecords... batches) {
        ByteBuffer all = ByteBuffer.allocate(
                List.of(batches).stream().mapToInt(MemoryRecords::sizeInBytes).sum());
        for (MemoryRecords batch : batches) {
            all.put(batch.buffer().duplicate());
        }
        return new PartitionData()
                .setPartitionIndex(3)
                .setAcquiredRecords(acquired)
                .setRecords(MemoryRecords.readableRecords(all.flip()));
    }

    private List<Long> offsets() {
        return receiver.acquired.stream().map(ScriptedRecord::offset).toList();
    }

    private static List<AcknowledgementRange> acks(List<AcquiredRange> ranges) {
        List<AcknowledgementRange> all = new ArrayList<>();
        ranges.forEach(range -> all.addAll(range.takeUnacknowledged()));
        return all;
    }

    private List<AcquiredRange> read(List<AcquiredRecords> acquired, MemoryRecords... batches) {
        try (AcquiredRecordsReader deliveries = deliveries(Unreadable.FAIL)) {
            return deliveries.read(ofPartition, answer(acquired, batches), LOCK, 5);
        }
    }

    /** The connection reuses the buffer for its next response. */
    @ParameterizedTest
    @EnumSource(value = CompressionType.class)
    void record_keepsKeyValueAndHeaders_whenTheResponseIsOverwritten(CompressionType codec) {
        SimpleRecord sent = new SimpleRecord(5L, bytes("key"), bytes("value"), new Header[] {
            new RecordHeader("name", bytes("one")), new RecordHeader("name", bytes("two"))
        });
        MemoryRecords batch =
                MemoryRecords.withRecords(0, Compression.of(codec).build(), sent, new SimpleRecord(bytes("other")));
        PartitionData answer = answer(List.of(acquired(0, 1, 1)), batch);
        try (AcquiredRecordsReader deliveries = deliveries(Unreadable.FAIL)) {
            assertThat(deliveries.read(ofPartition, answer, LOCK, 5)).isNotEmpty();
        }
        Arrays.fill(((MemoryRecords) answer.records()).buffer().array(), (byte) -1);

        ConsumerRecord<byte[], byte[]> record = receiver.acquired.getFirst().record;
        assertThat(record.key()).isEqualTo(bytes("key"));
        assertThat(record.value()).isEqualTo(bytes("value"));
        assertThat(record.headers().headers("name"))
                .extracting(header -> new String(header.value(), StandardCharsets.US_ASCII))
                .containsExactly("one", "two");
    }

    /** Regression: a record was archived without having been delivered. */
    @Test
    void batchWhoseOffsetsDoNotIncrease_isUnreadable() {
        for (int[] deltas : new int[][] {{3, 0, 1, 2}, {0, 1, 1, 2}, {0, 1, 2, 4}}) {
            MemoryRecords batch = MemoryRecords.readableRecords(Batches.withDeltas(100, 3, deltas));
            assertThatExceptionOfType(IllegalStateException.class)
                    .as(Arrays.toString(deltas))
                    .isThrownBy(() -> read(List.of(acquired(100, 101, 1), acquired(102, 103, 1)), batch))
                    .withMessageContaining("corrupt");
            assertThat(receiver.acquired).isEmpty();
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Brokers also acquire the offsets of transaction markers. */
    @Test
    void markersOfTransactions_areGaps_andNoRecords() {
        List<AcquiredRange> ranges = read(
                List.of(acquired(0, 6, 1)),
                records(0, 2),
                marker(2, ControlRecordType.COMMIT),
                records(3, 2),
                marker(5, ControlRecordType.ABORT),
                records(6, 1));
        assertThat(offsets()).containsExactly(0L, 1L, 3L, 4L, 6L);
        assertThat(acks(ranges))
                .containsExactly(
                        new AcknowledgementRange(2, 2, AcknowledgementRange.GAP, 0),
                        new AcknowledgementRange(5, 5, AcknowledgementRange.GAP, 0));
    }

    @Test
    void batchesAreSentWhole_andOnlyWhatIsAcquiredIsLent() {
        List<AcquiredRange> ranges =
                read(List.of(acquired(7, 8, 3), acquired(2, 4, 1)), records(0, 4), records(4, 4), records(8, 4));
        assertThat(ranges).extracting(range -> range.first).containsExactly(2L, 7L);
        assertThat(offsets()).containsExactly(2L, 3L, 4L, 7L, 8L);
        assertThat(receiver.acquired)
                .extracting(locked -> locked.record.deliveryCount())
                .containsExactly(
                        Optional.of((short) 1),
                        Optional.of((short) 1),
                        Optional.of((short) 1),
                        Optional.of((short) 3),
                        Optional.of((short) 3));
        assertThat(ranges).extracting(range -> range.lock().sinceNanos()).containsOnly(17L);
        assertThat(acks(ranges)).isEmpty();
    }

    /** Some offsets of a batch may be redelivered while others are delivered first. */
    @Test
    void rangesWithinOneBatch_haveTheirOwnDeliveryCounts() {
        List<AcquiredRange> ranges = read(List.of(acquired(1, 2, 5), acquired(4, 4, 2)), records(0, 6));
        assertThat(ranges).hasSize(2);
        assertThat(receiver.acquired)
                .extracting(locked -> locked.record.deliveryCount())
                .containsExactly(Optional.of((short) 5), Optional.of((short) 5), Optional.of((short) 2));
    }

    @Test
    void compactedOffset_isAGap_andOffsetsBehindTheLastBatchAreReleased() {
        List<AcquiredRange> ranges = read(List.of(acquired(0, 9, 1)), records(0, 2), records(4, 3));
        assertThat(offsets()).containsExactly(0L, 1L, 4L, 5L, 6L);
        assertThat(acks(ranges))
                .containsExactly(
                        new AcknowledgementRange(2, 3, AcknowledgementRange.GAP, 0),
                        new AcknowledgementRange(7, 9, AcknowledgementRange.RELEASE, 3));
    }

    @Test
    void acquiredRange_withoutAnyRecordSent_isReleased() {
        List<AcquiredRange> ranges = deliveries(Unreadable.FAIL)
                .read(ofPartition, new PartitionData().setAcquiredRecords(List.of(acquired(4, 5, 1))), LOCK, 0);
        assertThat(acks(ranges)).containsExactly(new AcknowledgementRange(4, 5, AcknowledgementRange.RELEASE, 2));
    }

    @Test
    void recordsAreShownAsTheyAre() {
        List<AcquiredRange> ranges = read(List.of(acquired(0, 0, 1)), records(0, 1));
        ScriptedRecord only = receiver.acquired.getFirst();
        assertThat(ranges.getFirst().open()).isEqualTo(1);
        assertThat(only.record.topic()).isEqualTo("topic");
        assertThat(only.record.partition()).isEqualTo(3);
        assertThat(only.record.key()).isNull();
        assertThat(only.record.value()).asString().isEqualTo("0");
        assertThat(only.record.serializedKeySize()).isEqualTo(-1);
        assertThat(only.record.serializedValueSize()).isEqualTo(1);
    }

    // ---- Batches that cannot be read -------------------------------------------------------------------------------

    @Test
    void damagedBatch_failsTheRun_withItsPlace() {
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> read(List.of(acquired(0, 5, 1)), records(0, 3), damaged(records(3, 3))))
                .withMessageContaining("topic-3@3");
        assertThat(offsets()).containsExactly(0L, 1L, 2L);
    }

    /** Only the checksum shows a changed byte of a value. */
    @Test
    void damagedValue_isFound_ifChecksumsAreCompared() {
        MemoryRecords batch = records(0, 1);
        batch.buffer().put(batch.sizeInBytes() - 2, (byte) '!');
        List<AcquiredRecords> acquired = List.of(acquired(0, 0, 1));
        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> read(acquired, batch));
        assertThat(receiver.acquired).isEmpty();
        var trusting = new ShareMember.Reading(false, MAX_BYTES);
        try (AcquiredRecordsReader deliveries = new AcquiredRecordsReader(receiver, trusting)) {
            assertThat(deliveries.read(ofPartition, answer(acquired, batch), LOCK, 0))
                    .hasSize(1);
        }
        assertThat(receiver.acquired)
                .singleElement()
                .satisfies(
                        locked -> assertThat(locked.record.value()).asString().isEqualTo("!"));
    }

    @Test
    void batchOverTheLimit_isNamed_andNoneOfItsRecordsIsLent() {
        var small = new ShareMember.Reading(true, 40);
        try (AcquiredRecordsReader deliveries = new AcquiredRecordsReader(receiver, small)) {
            PartitionData answer = answer(List.of(acquired(0, 9, 1)), records(0, 10));
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(() -> deliveries.read(ofPartition, answer, LOCK, 0))
                    .withMessageContaining("topic-3@0")
                    .withMessageContaining("larger than maxBatchBytes=40 bytes");
        }
        assertThat(receiver.acquired).isEmpty();
    }

    @Test
    void damagedBatch_thatIsLeftOut_isRejected_andTheOthersAreLent() {
        try (AcquiredRecordsReader deliveries = deliveries(Unreadable.SKIP)) {
            List<AcquiredRange> ranges = deliveries.read(
                    ofPartition,
                    answer(List.of(acquired(2, 7, 1)), records(0, 3), damaged(records(3, 3)), records(6, 3)),
                    LOCK,
                    0);
            assertThat(offsets()).containsExactly(2L, 6L, 7L);
            assertThat(acks(ranges)).containsExactly(new AcknowledgementRange(3, 5, AcknowledgementRange.REJECT, 3));
        }
    }

    /** One record represents the batch, and all its offsets share that record's acknowledgement. */
    @Test
    void damagedBatch_thatBecomesADeadLetter_isOneRecord_andEndsAsItDoes() {
        try (AcquiredRecordsReader deliveries = deliveries(Unreadable.PASS_ON)) {
            List<AcquiredRange> ranges =
                    deliveries.read(ofPartition, answer(List.of(acquired(1, 3, 1)), damaged(records(0, 4))), LOCK, 0);
            assertThat(offsets()).containsExactly(1L);
            assertThat(ranges.getFirst().open()).isEqualTo(3);
            List<String> ended = new ArrayList<>();
            deliveries.unreadable().takeEnded((rest, how) -> ended.add(rest.offset() + " " + how));
            assertThat(ended).as("its work has not ended").isEmpty();
            ScriptedRecord record = receiver.acquired.getFirst();
            record.outcome = AcknowledgeType.REJECT;
            deliveries.unreadable().ended(record);
            deliveries.unreadable().takeEnded((rest, how) -> ended.add(rest.offset() + " " + how));
            assertThat(ended).containsExactly("2 reject", "3 reject");

            List<AcquiredRange> again =
                    deliveries.read(ofPartition, answer(List.of(acquired(0, 0, 1)), damaged(records(0, 4))), LOCK, 0);
            assertThat(offsets()).as("the batch has been dealt with").containsExactly(1L);
            assertThat(acks(again)).containsExactly(new AcknowledgementRange(0, 0, AcknowledgementRange.REJECT, 1));
        }
    }

    /** The record that represents the batch loses its lock, so the broker delivers the whole batch again. */
    @Test
    void damagedBatch_whoseRecordGoesBack_goesBackWhole_andComesAgain() {
        try (AcquiredRecordsReader deliveries = deliveries(Unreadable.PASS_ON)) {
            List<AcquiredRange> ignored =
                    deliveries.read(ofPartition, answer(List.of(acquired(0, 1, 1)), damaged(records(0, 2))), LOCK, 0);
            receiver.acquired.getFirst().gone = true;
            List<String> ended = new ArrayList<>();
            deliveries.unreadable().takeEnded((rest, how) -> ended.add(rest.offset() + " " + how));
            assertThat(ended).containsExactly("1 release");
            List<AcquiredRange> again =
                    deliveries.read(ofPartition, answer(List.of(acquired(0, 1, 2)), damaged(records(0, 2))), LOCK, 0);
            assertThat(offsets()).containsExactly(0L, 0L);
            assertThat(again.getFirst().open()).isEqualTo(2);
        }
    }

    // ---- Limits ----------------------------------------------------------------------------------------------------

    private List<AcquiredRange> readWithLimit(int maxBytes, MemoryRecords batch) {
        var reading = new ShareMember.Reading(false, maxBytes);
        try (AcquiredRecordsReader deliveries = new AcquiredRecordsReader(receiver, reading)) {
            return deliveries.read(ofPartition, answer(List.of(acquired(0, 1, 1)), batch), LOCK, 0);
        }
    }

    @Test
    void batchOfExactlyTheLimit_isRead() {
        MemoryRecords batch = records(0, 2);
        int bytes = 0;
        for (Record record : batch.records()) {
            bytes += record.sizeInBytes();
        }
        assertThat(readWithLimit(bytes, batch)).hasSize(1);
        assertThat(offsets()).containsExactly(0L, 1L);
        int less = bytes - 1;
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> readWithLimit(less, batch))
                .withMessageContaining("larger than maxBatchBytes=" + less);
    }

    /** Kafka's exception names neither the setting nor the batch. */
    @Test
    void compressedRecordOverTheLimit_isNamedAsTooLarge() {
        MemoryRecords batch = MemoryRecords.withRecords(
                0, Compression.gzip().build(), new SimpleRecord(new byte[5_000]), new SimpleRecord(new byte[1]));
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> readWithLimit(700, batch))
                .withMessageContaining("topic-3@0..1 is larger than maxBatchBytes=700 bytes")
                .withMessageNotContaining("corrupt");
    }

    @Test
    void recordThatCannotBeDecoded_isCorrupt_andNotTooLarge() {
        MemoryRecords batch = records(0, 2);
        batch.buffer().put(61, (byte) 1); // The length of the first record
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> readWithLimit(777_777, batch))
                .withMessageContaining("topic-3@0..1 is a batch that is corrupt (")
                .withMessageNotContaining("maxBatchBytes");
    }

    /** Offsets past two billion are ordinary. */
    @Test
    void rangeOfLargeOffsets_isAcquired() {
        long first = 5_000_000_000L;
        List<AcquiredRange> ranges = read(List.of(acquired(first, first + 1, 1)), records(first, 2));
        assertThat(offsets()).containsExactly(first, first + 1);
        assertThat(acks(ranges)).isEmpty();
    }

    /** A response without a byte of a batch says nothing about the log. */
    @Test
    void acquiredRange_withEmptyRecords_isReleased() {
        List<AcquiredRange> ranges = read(List.of(acquired(4, 5, 1)));
        assertThat(acks(ranges)).containsExactly(new AcknowledgementRange(4, 5, AcknowledgementRange.RELEASE, 2));
    }

    @Test
    void headerThatCannotBeFollowed_isNamedByTheOffsetAfterTheLastBatch() {
        MemoryRecords second = records(1, 2);
        second.buffer().put(16, (byte) 11); // The version
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> read(List.of(acquired(0, 2, 1)), records(0, 1), second))
                .withMessageContaining("topic-3@1: the log is corrupt here");
    }

    /** The mean moves by a tenth of the difference. */
    @Test
    void batchRecords_isTheMovingMeanOfTheirOffsets() {
        try (AcquiredRecordsReader deliveries = deliveries(Unreadable.FAIL)) {
            assertThat(deliveries.batchRecords()).isZero();
            var first = deliveries.read(ofPartition, answer(List.of(acquired(100, 109, 1)), records(100, 10)), LOCK, 0);
            assertThat(first).hasSize(1);
            assertThat(deliveries.batchRecords()).isEqualTo(10.0);
            var next = deliveries.read(ofPartition, answer(List.of(acquired(110, 129, 1)), records(110, 20)), LOCK, 0);
            assertThat(next).hasSize(1);
            assertThat(deliveries.batchRecords()).isEqualTo(11.0);
        }
    }

    @Test
    void record_hasTheLeaderEpochOfItsBatch_ifThereIsOne() {
        MemoryRecords batch = records(0, 1);
        batch.batches().iterator().next().setPartitionLeaderEpoch(6);
        assertThat(read(List.of(acquired(0, 1, 1)), batch, records(1, 1))).hasSize(1);
        assertThat(receiver.acquired)
                .extracting(locked -> locked.record.leaderEpoch())
                .containsExactly(Optional.of(6), Optional.empty());
    }
}
