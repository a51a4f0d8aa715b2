package dev.weir.lean.internal.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.weir.lean.LeanRecord;
import dev.weir.lean.internal.encode.RecordBytes;
import dev.weir.lean.internal.producer.ProducerBatch.State;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.stream.StreamSupport;
import java.util.zip.CRC32C;
import org.apache.kafka.common.message.ProduceResponseData.BatchIndexAndErrorMessage;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.junit.jupiter.api.Test;

/** Tests an intake. Its batches have space for two records of {@link #HALF_BYTES}. */
class RecordIntakeTest {

    private static final int BATCH_BYTES = 1_024;
    private static final int HALF_BYTES = 400;

    private final RecordIntake intake = new RecordIntake();
    private final ArrayDeque<ProducerBatch> drained = new ArrayDeque<>();

    private static RecordBytes record(int valueBytes) {
        RecordBytes record = new RecordBytes();
        record.key.clear();
        record.value.wrap(new byte[valueBytes], 0, valueBytes);
        return record;
    }

    private static ProducerBatch batch() {
        return new ProducerBatch(ByteBuffer.allocate(BATCH_BYTES), 0);
    }

    private boolean append(long token) {
        return intake.append(record(HALF_BYTES), 1, token);
    }

    private boolean begin(long token, long nowNanos) {
        return intake.append(batch(), nowNanos, record(HALF_BYTES), 1, token);
    }

    @Test
    void recordsAreTaken_intoTheBatchThatIsThere_untilItIsFull() {
        assertThat(append(0)).as("there is none").isFalse();
        assertThat(intake.hasSome()).isFalse();
        assertThat(begin(1, 5)).isTrue();
        assertThat(intake.hasSome()).isTrue();
        assertThat(append(2)).isTrue();
        assertThat(append(3)).as("full").isFalse();
        assertThat(begin(4, 6)).isTrue();
        assertThat(begin(5, 7)).as("the batch that is there has room").isFalse();
        assertThat(intake.seal()).isEqualTo(4);
        assertThat(intake.drain(drained, 0, false)).isEqualTo(RecordIntake.NEVER);
        assertThat(drained).extracting(ProducerBatch::count).containsExactly(2, 2);
        assertThat(drained.peekFirst().token(1)).isEqualTo(2);
        assertThat(drained.peekLast().token(1)).isEqualTo(5);
        assertThat(drained.peekLast().begunNanos).isEqualTo(6);
        assertThat(intake.hasSome()).isFalse();
        assertThat(intake.seal()).as("nothing new").isEqualTo(4);
    }

    @Test
    void batchThatIsFilled_isDrainedOnceItIsOldEnough_orIfAllAre() {
        long begun = Long.MAX_VALUE - 1; // The clock may pass that.
        assertThat(begin(1, begun)).isTrue();
        assertThat(intake.drain(drained, begun - 1, false)).isEqualTo(begun);
        assertThat(drained).isEmpty();
        assertThat(intake.hasSome()).isTrue();
        assertThat(intake.drain(drained, begun, false)).isEqualTo(RecordIntake.NEVER);
        assertThat(drained).hasSize(1);
        assertThat(begin(2, begun + 5)).isTrue();
        assertThat(intake.drain(drained, begun, true)).isEqualTo(RecordIntake.NEVER);
        assertThat(drained).hasSize(2);
    }

    @Test
    void sealedBatches_areDrained_andTheOneThatIsFilledStays() {
        assertThat(begin(1, 5)).isTrue();
        assertThat(intake.seal()).isEqualTo(1);
        assertThat(begin(2, 6)).isTrue();
        assertThat(intake.drain(drained, 0, false)).isEqualTo(6);
        assertThat(drained).hasSize(1);
        assertThat(intake.hasSome()).isTrue();
    }

    @Test
    void recordThatHasNoRoomInAnEmptyBatch_isRefused() {
        assertThatIllegalStateException()
                .isThrownBy(() -> intake.append(batch(), 0, record(BATCH_BYTES), 1, 1))
                .withMessage("no room in a new batch");
        assertThat(intake.hasSome()).isFalse();
        assertThat(intake.seal()).isZero();
    }

    // ---- Several records -------------------------------------------------------------------------------------------

    /** Prepared records. Each list has one property of all records. */
    private record Prepared(List<String> topics, List<Integer> partitions, List<Integer> sizes)
            implements PreparedRecords {

        @Override
        public String topic(int number) {
            return topics.get(number);
        }

        @Override
        public int partition(int number) {
            return partitions.get(number);
        }

        @Override
        public long timestampMillis(int number) {
            return 1;
        }

        @Override
        public RecordBytes bytes(int number) {
            return record(sizes.get(number));
        }
    }

    @Test
    void severalRecords_areTakenAsFarAsTheyAreOfOnePartition() {
        Prepared records =
                new Prepared(List.of("t", "t", "t", "u", "t"), List.of(0, 0, 1, 1, 1), List.of(8, 8, 8, 8, 8));
        assertThat(intake.append(records, 0, 5, 9, 1_000))
                .as("no batch is there")
                .isZero();
        assertThat(begin(1, 5)).isTrue();
        assertThat(intake.append(records, 0, 5, 9, 1_000)).isEqualTo(2);
        assertThat(intake.append(records, 2, 5, 9, 1_000)).as("another topic").isEqualTo(3);
        assertThat(intake.append(records, 4, 5, 9, 1_000)).isEqualTo(5);
        assertThat(intake.append(records, 0, 1, 9, 1_000)).as("no further").isEqualTo(1);
        assertThat(intake.seal()).isEqualTo(6);
        assertThat(intake.drain(drained, 0, false)).isEqualTo(RecordIntake.NEVER);
        assertThat(drained.element().token(5)).isEqualTo(9);
    }

    @Test
    void severalRecords_endBeforeOneThatIsTooLarge_orHasNoRoom() {
        Prepared records = new Prepared(List.of("t", "t", "t"), List.of(0, 0, 0), List.of(8, HALF_BYTES, 8));
        assertThat(begin(1, 5)).isTrue();
        assertThat(intake.append(records, 0, 3, 9, HALF_BYTES))
                .as("larger than that")
                .isEqualTo(1);
        assertThat(intake.append(records, 1, 3, 9, record(HALF_BYTES).maxBytes()))
                .isEqualTo(3);
        assertThat(intake.append(records, 1, 3, 9, 1_000)).as("no room").isEqualTo(1);
        assertThat(intake.append(records, 2, 3, 9, 1_000))
                .as("the batch is sealed")
                .isEqualTo(2);
        assertThat(intake.seal()).isEqualTo(4);
    }

    // ---- A batch ---------------------------------------------------------------------------------------------------

    /** Batches come from a pool, so each has been another one before. */
    @Test
    void batchThatIsFilledAgain_isLikeANewOne() {
        ProducerBatch batch = batch();
        batch.begin(5);
        assertThat(batch.append(record(HALF_BYTES), 1, 1)).isTrue();
        batch.compressed = true;
        batch.sequence = 7;
        batch.state = State.REFUSED;
        batch.offset = 8;
        batch.trouble = "no";
        batch.cause = new IllegalStateException();
        batch.culprits = List.of(new BatchIndexAndErrorMessage());
        batch.ended = true;
        batch.doubtful = true;
        batch.wasDoubtful = true;
        batch.begin(6);
        assertThat(batch.count()).isZero();
        ProducerBatch fresh = batch();
        fresh.begin(6);
        assertThat(batch)
                .usingRecursiveComparison()
                .ignoringFields("writer", "tokens")
                .isEqualTo(fresh);
        assertThat(batch.append(record(HALF_BYTES), 1, 2)).isTrue();
        assertThat(batch.append(record(HALF_BYTES), 1, 3)).isTrue();
        assertThat(batch.token(0)).isEqualTo(2);
        assertThat(batch.token(1)).isEqualTo(3);
    }

    @Test
    void batchOfManyRecords_keepsEachToken_andOneWithoutRoomTakesNone() {
        ProducerBatch batch = new ProducerBatch(ByteBuffer.allocate(4 * BATCH_BYTES), 0);
        batch.begin(0);
        int count = 0;
        while (batch.append(record(1), 1, 1_000 + count)) {
            count++;
        }
        assertThat(count).isGreaterThan(300);
        assertThat(batch.count()).isEqualTo(count);
        for (int i = 0; i < count; i++) {
            assertThat(batch.token(i)).isEqualTo(1_000 + i);
        }
    }

    private static void awaitAnotherMilli() {
        long from = System.currentTimeMillis();
        while (System.currentTimeMillis() == from) {
            Thread.onSpinWait();
        }
    }

    private static List<Long> timestamps(ProducerBatch batch) {
        batch.writer.stamp(1, (short) 0, 0, new CRC32C());
        ByteBuffer bytes = batch.writer.bytes();
        bytes.clear().limit(batch.writer.sizeBytes());
        return StreamSupport.stream(
                        MemoryRecords.readableRecords(bytes).records().spliterator(), false)
                .map(Record::timestamp)
                .toList();
    }

    /** The clock is read for the first record, and again for every sixteenth one. */
    @Test
    void recordsWithoutATimestamp_haveTheTimeOfTheClock() {
        ProducerBatch batch = batch();
        batch.begin(0);
        assertThat(batch.append(record(1), LeanRecord.NOW, 0)).isTrue();
        awaitAnotherMilli();
        long from = System.currentTimeMillis();
        batch.begin(0);
        for (int i = 0; i < 16; i++) {
            assertThat(batch.append(record(1), LeanRecord.NOW, i)).isTrue();
        }
        awaitAnotherMilli();
        long middle = System.currentTimeMillis();
        for (int i = 0; i < 16; i++) {
            assertThat(batch.append(record(1), LeanRecord.NOW, i)).isTrue();
        }
        assertThat(batch.append(record(1), 42, 32)).as("has a timestamp").isTrue();
        awaitAnotherMilli();
        long to = System.currentTimeMillis();
        assertThat(batch.append(record(1), LeanRecord.NOW, 33)).isTrue();
        List<Long> all = timestamps(batch);
        assertThat(all.subList(0, 16)).allSatisfy(time -> assertThat(time).isBetween(from, middle - 1));
        assertThat(all.subList(16, 32)).allSatisfy(time -> assertThat(time).isBetween(middle, to));
        assertThat(all.get(32)).isEqualTo(42);
        assertThat(all.get(33)).isGreaterThanOrEqualTo(to);
    }

    // ---- The end ---------------------------------------------------------------------------------------------------

    @Test
    void closedIntake_takesNothing_andSaysTheFirstReason() {
        assertThat(begin(1, 5)).isTrue();
        intake.close(() -> new UnsupportedOperationException("first"));
        intake.close(() -> new UnsupportedOperationException("second"));
        Prepared records = new Prepared(List.of("t"), List.of(0), List.of(8));
        for (Runnable each : List.<Runnable>of(
                () -> append(2),
                () -> begin(3, 6),
                () -> assertThat(intake.append(records, 0, 1, 9, 100)).isZero())) {
            assertThatExceptionOfType(UnsupportedOperationException.class)
                    .isThrownBy(each::run)
                    .withMessage("first");
        }
        assertThat(intake.drain(drained, 0, true)).isEqualTo(RecordIntake.NEVER);
        assertThat(drained).as("what was taken is sent").hasSize(1);
    }
}
