package dev.weir.lean.internal.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.lean.LeanCompression;
import dev.weir.lean.LeanException;
import dev.weir.lean.SendException;
import dev.weir.lean.SendListener;
import dev.weir.lean.internal.cluster.RetryBackoff;
import dev.weir.lean.internal.encode.Compressor;
import dev.weir.lean.internal.encode.RecordBytes;
import dev.weir.lean.internal.producer.ProducerBatch.State;
import dev.weir.lean.spi.InvariantException;
import java.nio.ByteBuffer;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.message.ProduceResponseData.BatchIndexAndErrorMessage;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests divided batches, and the listener's calls for their records. */
class BatchEndTest {

    private static final RecordBytes RECORD = record();

    private final List<String> told = new ArrayList<>();
    private final ProducerCounters counters = new ProducerCounters();
    private final ProducerBatchPool pool = new ProducerBatchPool(10_000, 1_000, () -> {});
    private final ProducerPartition partition =
            new ProducerPartition(new ProducerTopic("t", 0), 3, new RetryBackoff(1, new SplittableRandom(1)));

    private static RecordBytes record() {
        RecordBytes record = new RecordBytes();
        record.key.clear();
        record.value.wrap(new byte[] {7}, 0, 1);
        return record;
    }

    private static ProducerBatch batch(int records) {
        ProducerBatch batch = new ProducerBatch(ByteBuffer.allocateDirect(1_000), 0);
        batch.begin(5);
        for (int i = 0; i < records; i++) {
            assertThat(batch.append(RECORD, 100 + i, 40 + i)).isTrue();
        }
        return batch;
    }

    private BatchEndings endings(boolean throwing) {
        SendListener listener = new SendListener() {
            @Override
            public void acknowledged(long token, String topic, int number, long offset) {
                told.add(token + " " + topic + "-" + number + "@" + offset);
                if (throwing) {
                    throw new IllegalStateException("listener of " + token);
                }
            }

            @Override
            public void failed(long token, SendException why) {
                told.add(token + " " + why.mayBeWritten());
                if (throwing) {
                    throw new IllegalStateException("listener of " + token);
                }
            }
        };
        return new BatchEndings(listener, pool, counters);
    }

    private static ProducerBatch ended(State state) {
        ProducerBatch batch = batch(3);
        batch.state = state;
        batch.offset = 20;
        return batch;
    }

    @Test
    void writtenRecords_areAcknowledgedEachAtItsOffset() {
        endings(false).end(partition, ended(State.WRITTEN));
        assertThat(told).containsExactly("40 t-3@20", "41 t-3@21", "42 t-3@22");
        assertThat(partition.finished).hasValue(3);
        assertThat(counters.get(ProducerCounters.ACKNOWLEDGED)).isEqualTo(3);
        assertThat(counters.get(ProducerCounters.FAILED)).isZero();
    }

    @Test
    void firstRecordsOfALog_areAcknowledgedFromOffsetZeroOn() {
        ProducerBatch batch = ended(State.WRITTEN);
        batch.offset = 0;
        endings(false).end(partition, batch);
        assertThat(told).containsExactly("40 t-3@0", "41 t-3@1", "42 t-3@2");
    }

    /** Otherwise, callers would find no memory in the end. */
    @ParameterizedTest
    @EnumSource(names = {"WRITTEN", "REFUSED"})
    void batch_isGivenBackToThePool_alsoIfTheListenerThrows(State state) throws InterruptedException {
        for (boolean throwing : new boolean[] {false, true}) {
            ProducerBatch batch = Objects.requireNonNull(pool.take(10, 0));
            batch.begin(0);
            assertThat(batch.append(RECORD, 1, 40)).isTrue();
            batch.state = state;
            assertThat(pool.freeBytes()).isEqualTo(9_000);
            if (throwing) {
                assertThatExceptionOfType(LeanException.class)
                        .isThrownBy(() -> endings(true).end(partition, batch))
                        .withMessageContaining("listener of 40");
            } else {
                endings(false).end(partition, batch);
            }
            assertThat(pool.freeBytes()).isEqualTo(10_000);
        }
    }

    @Test
    void writtenRecords_ofWhichNoOffsetIsKnown_haveNone() {
        ProducerBatch batch = ended(State.WRITTEN);
        batch.offset = -1;
        endings(false).end(partition, batch);
        assertThat(told).containsExactly("40 t-3@-1", "41 t-3@-1", "42 t-3@-1");
    }

    @Test
    void refusedRecords_areToldWhetherTheyMayBeWritten() {
        ProducerBatch batch = ended(State.REFUSED);
        endings(false).end(partition, batch);
        assertThat(told).containsExactly("40 false", "41 false", "42 false");
        told.clear();
        ProducerBatch inDoubt = ended(State.REFUSED);
        inDoubt.doubtful = true;
        endings(false).end(partition, inDoubt);
        assertThat(told).containsExactly("40 true", "41 true", "42 true");
        assertThat(counters.get(ProducerCounters.FAILED)).isEqualTo(6);
        assertThat(partition.finished).hasValue(6);
    }

    @ParameterizedTest
    @EnumSource(names = {"WRITTEN", "REFUSED"})
    void listenerThatThrows_isToldOfTheOthersAllTheSame(State state) {
        assertThatExceptionOfType(LeanException.class)
                .isThrownBy(() -> endings(true).end(partition, ended(state)))
                .withMessageContaining("listener of 40");
        assertThat(told).hasSize(3);
        assertThat(partition.finished).hasValue(3);
    }

    /** The other records may be written in another batch. */
    @Test
    void recordsThatTheBrokerBlames_areTold_apartFromTheirNeighbours() {
        List<String> messages = new ArrayList<>();
        List<Throwable> causes = new ArrayList<>();
        SendListener listener = new SendListener() {
            @Override
            public void acknowledged(long token, String topic, int number, long offset) {
                throw new AssertionError("refused");
            }

            @Override
            public void failed(long token, SendException why) {
                messages.add(token + " " + why.getMessage());
                causes.add(why.getCause());
            }
        };
        ProducerBatch batch = ended(State.REFUSED);
        batch.trouble = "INVALID_RECORD: no";
        batch.cause = new IllegalStateException("of the batch");
        batch.culprits = List.of(
                new BatchIndexAndErrorMessage().setBatchIndex(1).setBatchIndexErrorMessage("no key"),
                new BatchIndexAndErrorMessage().setBatchIndex(2));
        new BatchEndings(listener, new ProducerBatchPool(10_000, 1_000, () -> {}), counters).end(partition, batch);
        assertThat(messages.get(0))
                .startsWith("40 ")
                .contains("in one batch with a record that the broker refused: INVALID_RECORD: no");
        assertThat(messages.get(1)).startsWith("41 ").contains("no key");
        assertThat(messages.get(2)).startsWith("42 ").contains("INVALID_RECORD: no");
        assertThat(causes.get(0)).isNull();
        assertThat(causes.get(1)).isInstanceOf(InvalidRecordException.class);
        assertThat(causes.get(2)).isInstanceOf(InvalidRecordException.class);

        messages.clear();
        causes.clear();
        ProducerBatch whole = ended(State.REFUSED);
        whole.trouble = "INVALID_REQUIRED_ACKS";
        whole.cause = batch.cause;
        new BatchEndings(listener, new ProducerBatchPool(10_000, 1_000, () -> {}), counters).end(partition, whole);
        assertThat(messages).hasSize(3).allMatch(message -> message.contains("INVALID_REQUIRED_ACKS"));
        assertThat(causes).containsOnly(batch.cause);
    }

    /** An earlier attempt may have been written before the broker had a reason to refuse the record. */
    @Test
    void recordThatTheBrokerBlames_mayBeWritten_ifItsBatchIsInDoubt() {
        for (boolean former : new boolean[] {false, true}) {
            told.clear();
            ProducerBatch batch = ended(State.REFUSED);
            batch.doubtful = !former;
            batch.wasDoubtful = former;
            batch.culprits = List.of(new BatchIndexAndErrorMessage().setBatchIndex(1));
            endings(false).end(partition, batch);
            assertThat(told).containsExactly("40 true", "41 true", "42 true");
        }
    }

    /** Returns a list that needs more memory than there is. */
    static <T> List<T> noMemory() {
        return new AbstractList<>() {
            @Override
            public T get(int index) {
                throw new OutOfMemoryError("planted");
            }

            @Override
            public int size() {
                return 1;
            }
        };
    }

    /** Regression: the records of such a batch never got an outcome. */
    @Test
    void batchWithoutMemoryForItsException_isToldAllTheSame_asPerhapsWritten() {
        ProducerBatch batch = ended(State.REFUSED);
        batch.culprits = noMemory();
        endings(false).end(partition, batch);
        assertThat(told).containsExactly("40 true", "41 true", "42 true");
        assertThat(partition.finished).hasValue(3);
    }

    // ---- Divided batches -------------------------------------------------------------------------------------------

    private List<ProducerBatch> halves(ProducerBatch whole) {
        whole.writer.stamp(77, (short) 0, whole.sequence, new CRC32C());
        try (BatchDivider divider = new BatchDivider()) {
            return divider.halves(partition, whole);
        }
    }

    /** The broker may have written the whole batch. Under other sequences, it would write its records twice. */
    @Test
    void halves_shareTheSequencesOfTheWhole_andItsDoubt() {
        ProducerBatch whole = batch(5);
        whole.sequence = Integer.MAX_VALUE - 1;
        whole.doubtful = true;
        List<ProducerBatch> halves = halves(whole);
        assertThat(halves).extracting(ProducerBatch::count).containsExactly(2, 3);
        assertThat(halves).extracting(half -> half.sequence).containsExactly(Integer.MAX_VALUE - 1, 0);
        assertThat(halves).extracting(half -> half.doubtful).containsExactly(true, true);
        assertThat(halves).extracting(half -> half.wasDoubtful).containsExactly(false, false);
        assertThat(halves.get(0).token(1)).isEqualTo(41);
        assertThat(halves.get(1).token(0)).isEqualTo(42);
        assertThat(halves.get(1).begunNanos).isEqualTo(5);
    }

    private static List<Record> read(ProducerBatch batch) {
        batch.writer.stamp(77, (short) 0, 0, new CRC32C());
        ByteBuffer bytes = ByteBuffer.allocate(batch.writer.sizeBytes());
        bytes.put(0, batch.writer.bytes(), 0, bytes.capacity());
        List<Record> records = new ArrayList<>();
        MemoryRecords.readableRecords(bytes).records().forEach(records::add);
        return records;
    }

    /** Keys, headers and timestamps differ, and the batch may be compressed. The halves are not. */
    @ParameterizedTest
    @EnumSource(LeanCompression.class)
    void halves_haveTheRecordsOfTheWhole(LeanCompression compression) {
        ProducerBatch whole = new ProducerBatch(ByteBuffer.allocateDirect(4_000), 0);
        whole.begin(5);
        for (int i = 0; i < 7; i++) {
            RecordBytes record = new RecordBytes();
            record.key.clear();
            if (i % 2 == 1) {
                record.key.wrap(new byte[i], 0, i);
            }
            record.value.wrap(new byte[100 * i], 0, 100 * i);
            for (int header = 0; header < i % 3; header++) {
                record.headerName().wrap(new byte[] {'h'}, 0, 1);
                record.headerValue().wrap(new byte[] {(byte) i}, 0, 1);
                record.addHeader();
            }
            assertThat(whole.append(record, 1_000_000 - 9_000L * i, 40 + i)).isTrue();
        }
        List<Record> all = read(whole);
        try (Compressor compressor = new Compressor(compression)) {
            compressor.compress(whole.writer);
        }
        List<ProducerBatch> halves = halves(whole);
        List<Record> parts = new ArrayList<>(read(halves.get(0)));
        parts.addAll(read(halves.get(1)));
        assertThat(parts).hasSize(7);
        for (int i = 0; i < 7; i++) {
            assertThat(parts.get(i).timestamp()).isEqualTo(all.get(i).timestamp());
            assertThat(parts.get(i).key()).isEqualTo(all.get(i).key());
            assertThat(parts.get(i).value()).isEqualTo(all.get(i).value());
            assertThat(parts.get(i).headers()).isEqualTo(all.get(i).headers());
            ProducerBatch half = halves.get(i < 3 ? 0 : 1);
            assertThat(half.token(i < 3 ? i : i - 3)).isEqualTo(40 + i);
        }
    }

    @Test
    void halvesOfABatchWithoutASequence_haveNone_andRememberAFormerDoubt() {
        ProducerBatch whole = batch(2);
        whole.wasDoubtful = true;
        List<ProducerBatch> halves = halves(whole);
        assertThat(halves).noneMatch(ProducerBatch::hasSequence).allMatch(ProducerBatch::mayBeWritten);
        assertThat(halves).extracting(half -> half.doubtful).containsExactly(false, false);
    }

    // ---- Invariants ------------------------------------------------------------------------------------------------

    @Test
    void batchThatEndsTwice_violatesAnInvariant_andIsToldOnce() {
        ProducerBatch batch = ended(State.WRITTEN);
        endings(false).end(partition, batch);
        told.clear();
        assertThatExceptionOfType(InvariantException.class)
                .isThrownBy(() -> endings(false).end(partition, batch))
                .withMessageContaining("invariant 49 does not hold: the listener hears of each record once")
                .withMessageContaining("t-3 records=3 WRITTEN@20");
        assertThat(told).isEmpty();
        batch.begin(6);
        assertThat(batch.append(RECORD, 100, 50)).isTrue();
        endings(false).end(partition, batch);
        assertThat(told).as("filled again").hasSize(1);
    }
}
