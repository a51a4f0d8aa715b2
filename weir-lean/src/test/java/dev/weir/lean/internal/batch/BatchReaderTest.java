package dev.weir.lean.internal.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.weir.lean.BatchTooLargeException;
import dev.weir.lean.CorruptBatchException;
import dev.weir.lean.HeadersView;
import dev.weir.lean.UnsupportedBatchException;
import dev.weir.lean.internal.wire.AbortedTransactions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.LongStream;
import java.util.zip.CRC32C;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests reading the official client's batches. */
class BatchReaderTest {

    private static final int MEGABYTE = 1024 * 1024;

    private final BatchReader reader = new BatchReader(new Decompressor(MEGABYTE));

    private List<ConsumerRecord<byte[], byte[]>> read(ByteBuffer bytes, long from) {
        return read(bytes, from, null);
    }

    private List<ConsumerRecord<byte[], byte[]>> read(
            ByteBuffer bytes, long from, @Nullable AbortedTransactions aborted) {
        List<ConsumerRecord<byte[], byte[]>> all = new ArrayList<>();
        reader.of("t", 3, 9);
        for (int at = 0; at < bytes.limit(); at += reader.sizeBytes()) {
            reader.open(bytes, at, bytes.limit(), from);
            reader.verify(true);
            if (reader.isVisible(aborted)) {
                reader.start();
                while (reader.next()) {
                    all.add(reader.record().toConsumerRecord());
                }
            }
        }
        return all;
    }

    private static List<Long> offsets(List<ConsumerRecord<byte[], byte[]>> records) {
        return records.stream().map(ConsumerRecord::offset).toList();
    }

    @ParameterizedTest
    @EnumSource(CompressionType.class)
    void batch_ofEachCodec_readsAsTheOfficialClientReadsIt(CompressionType codec) {
        for (int seed = 0; seed < 20; seed++) {
            assertReadAsByTheOfficialClient(Batches.batch(codec, 1_000, Batches.records(seed, 200, 2_000)));
        }
    }

    /** The faster method reads records with small numbers. These sizes are just below and above its limits. */
    @Test
    void records_atTheBordersOfTheUsual_readAsTheOfficialClientReadsThem() {
        List<SimpleRecord> records = new ArrayList<>();
        Header[][] headers = {{}, {new RecordHeader("h", new byte[1])}};
        for (int time : new int[] {0, 63, 64, 8_191, 8_192, -64, -65}) {
            for (int key : new int[] {-1, 0, 1, 63, 64, 200}) {
                for (int value : new int[] {-1, 0, 1, 2, 3, 8, 63, 64, 8_191, 8_192}) {
                    for (Header[] some : headers) {
                        records.add(new SimpleRecord(5_000L + time, filled(key), filled(value), some));
                    }
                }
            }
        }
        assertReadAsByTheOfficialClient(Batches.batch(CompressionType.NONE, 0, records));
        List<SimpleRecord> many = Collections.nCopies(8_300, new SimpleRecord(5_000, filled(-1), filled(1)));
        assertReadAsByTheOfficialClient(Batches.batch(CompressionType.NONE, 0, many));
    }

    /** Records that no client writes. The reader must refuse them before it returns any part. */
    @Test
    void recordsThatMakeNoSense_areRefusedBeforeTheyAreShown() {
        byte[] longTime = {0, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 1, 1, 0};
        byte[] lengthBelowNull = {0, 0, 0, 1, 3, 0};
        byte[] longKeyLength = {0, 0, 0, -1, -1, -1, -1, -1, 1, 1, 0};
        byte[] keyOverTheEnd = {0, 0, 0, 14, 0, 0, 0, 0};
        byte[] valueOverTheEnd = {0, 0, 0, 1, 8, 0, 0, 0};
        byte[] valueUpToTheEnd = {0, 0, 0, 1, 6, 0, 0, 0};
        byte[] headersThatAreNotThere = {0, 0, 0, 1, 4, 0, 0, 2};
        for (byte[] body : List.of(
                longTime,
                lengthBelowNull,
                longKeyLength,
                keyOverTheEnd,
                valueOverTheEnd,
                valueUpToTheEnd,
                headersThatAreNotThere)) {
            // Overwrite everything after the length field of a record of the same length.
            ByteBuffer bytes =
                    Batches.batch(CompressionType.NONE, 0, List.of(new SimpleRecord(0, new byte[body.length - 6])));
            bytes.put(BatchLayout.HEADER_BYTES + 1, body);
            reader.of("t", 3, 9);
            reader.open(bytes, 0, bytes.limit(), 0);
            reader.start();
            assertThatExceptionOfType(CorruptBatchException.class)
                    .as(Arrays.toString(body))
                    .isThrownBy(reader::next)
                    .withMessageContaining("t-3@0");
        }
    }

    /** Writes a zig-zag number. A padded one has a byte more than necessary, as no client writes it. */
    private static void number(ByteBuffer to, long number, boolean padded) {
        long rest = (number << 1) ^ (number >> 63);
        while ((rest & ~0x7fL) != 0) {
            to.put((byte) (rest | 0x80));
            rest >>>= 7;
        }
        to.put((byte) (padded ? rest | 0x80 : rest));
        if (padded) {
            to.put((byte) 0);
        }
    }

    private static byte @Nullable [] part(ByteBuffer to, int size, byte content, boolean padded) {
        number(to, size, padded);
        byte[] bytes = new byte[Math.max(0, size)];
        Arrays.fill(bytes, content);
        to.put(bytes);
        return size < 0 ? null : bytes;
    }

    /**
     * Records of all combinations of sizes, valid or not, each before a second record. The contents could be taken for
     * sizes, if a number was read at a wrong place.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void record_ofAnyNumbers_isReadOrRefused(boolean padded) {
        ByteBuffer body = ByteBuffer.allocate(20_000);
        ByteBuffer bytes = ByteBuffer.allocateDirect(30_000);
        int read = 0;
        for (long time : new long[] {0, 63, 64, -64, -65, 8_191, 8_192, -8_193, 1L << 40}) {
            for (int delta : new int[] {0, 1, 63, 64, 8_191, 8_192, -1, -64}) {
                for (int key : new int[] {-1, 0, 1, 5, 63, 64, -2, -64, -65}) {
                    for (int value : new int[] {-1, 0, 1, 63, 64, 8_191, 8_192, -2, -3, -65}) {
                        for (byte content : new byte[] {0, 1, 2}) {
                            body.clear().put((byte) 0);
                            number(body, time, padded);
                            number(body, delta, padded);
                            byte[] keyBytes = part(body, key, content, padded);
                            byte[] valueBytes = part(body, value, content, padded);
                            number(body, 0, padded);
                            boolean isValid = delta >= 0 && key >= -1 && value >= -1;
                            read += isValid ? 1 : 0;
                            withTwoRecords(bytes, body.flip(), Math.max(0, delta));
                            reader.of("t", 3, 9);
                            reader.open(bytes, 0, bytes.limit(), 0);
                            reader.start();
                            if (!isValid) {
                                assertThatExceptionOfType(CorruptBatchException.class)
                                        .isThrownBy(reader::next);
                                continue;
                            }
                            assertThat(reader.next()).isTrue();
                            ConsumerRecord<byte[], byte[]> record =
                                    reader.record().toConsumerRecord();
                            assertThat(record.offset()).isEqualTo(delta);
                            assertThat(record.timestamp()).isEqualTo(1_000 + time);
                            assertThat(Arrays.equals(record.key(), keyBytes)).isTrue();
                            assertThat(Arrays.equals(record.value(), valueBytes))
                                    .isTrue();
                            assertThat(reader.next()).isTrue();
                            assertThat(reader.record().offset()).isEqualTo(delta + 1L);
                        }
                    }
                }
            }
        }
        assertThat(read).isEqualTo(9 * 6 * 6 * 7 * 3);
    }

    /** Writes a batch of a record with this content and an empty one after it. */
    private static void withTwoRecords(ByteBuffer to, ByteBuffer body, int delta) {
        to.clear().position(BatchLayout.HEADER_BYTES);
        number(to, body.remaining(), false);
        to.put(body);
        ByteBuffer second = ByteBuffer.allocate(20).put((byte) 0).put((byte) 0);
        number(second, delta + 1L, false);
        second.put(new byte[] {1, 1, 0}).flip();
        number(to, second.remaining(), false);
        to.put(second).flip();
        BatchLayout.putHeader(to, to.limit(), 0, 2, 1_000, 1_000);
        to.putInt(23, delta + 1);
    }

    /** Returns the message about a batch whose only record is replaced by these bytes. */
    private String messageAbout(byte... record) {
        ByteBuffer bytes = ByteBuffer.allocateDirect(BatchLayout.HEADER_BYTES + record.length);
        bytes.put(BatchLayout.HEADER_BYTES, record);
        BatchLayout.putHeader(bytes, bytes.limit(), 0, 1, 0, 0);
        reader.of("t", 3, 9);
        reader.open(bytes, 0, bytes.limit(), 0);
        reader.start();
        return String.valueOf(assertThatExceptionOfType(CorruptBatchException.class)
                .isThrownBy(reader::next)
                .actual()
                .getMessage());
    }

    @Test
    void sizesThatMakeNoSense_areNamed() {
        assertThat(messageAbout((byte) 20, (byte) 0, (byte) 0)).contains("a record of 10 bytes in 2");
        assertThat(messageAbout(
                        (byte) 12, (byte) 0, (byte) 0, (byte) 0, (byte) 1, (byte) 1, (byte) 0, (byte) 9, (byte) 9))
                .contains("2 bytes behind the last record");
        assertThat(messageAbout((byte) 12, (byte) 0, (byte) 0, (byte) 0, (byte) 14, (byte) 1, (byte) 0))
                .contains("a key or value of 7 bytes in 2");
        assertThat(messageAbout((byte) 14, (byte) 0, (byte) 0, (byte) 0, (byte) 1, (byte) 1, (byte) 6, (byte) 0))
                .contains("3 headers in 1 bytes");
    }

    /** Regression: a later record was delivered first, and a commit after it lost the earlier records. */
    @Test
    void offsetsThatDoNotIncrease_areRefusedBeforeALaterOffsetIsShown() {
        for (int[] deltas : new int[][] {{3, 0, 1, 2}, {1, 0, 2, 3}, {0, 0, 1, 2}, {0, 2, 1, 3}, {0, 1, 2, 2}}) {
            ByteBuffer bytes = Batches.withDeltas(100, 3, deltas);
            List<Long> shown = new ArrayList<>();
            reader.of("t", 3, 9);
            reader.open(bytes, 0, bytes.limit(), 0);
            reader.verify(true);
            reader.start();
            assertThatExceptionOfType(CorruptBatchException.class)
                    .as(Arrays.toString(deltas))
                    .isThrownBy(() -> {
                        while (reader.next()) {
                            shown.add(reader.record().offset());
                        }
                    })
                    .satisfies(fault -> assertThat(fault.offset()).isEqualTo(100 + shown.size()));
            // The records before the fault have the lowest offsets.
            assertThat(shown)
                    .as(Arrays.toString(deltas))
                    .isEqualTo(LongStream.range(100, 100 + shown.size()).boxed().toList());
        }
    }

    @Test
    void gapsOfCompaction_areRead() {
        assertThat(offsets(read(Batches.withDeltas(100, 9, 0, 2, 5), 0))).containsExactly(100L, 102L, 105L);
        assertThat(offsets(read(Batches.withDeltas(100, 9, 7, 8, 9), 0))).containsExactly(107L, 108L, 109L);
        assertThat(offsets(read(Batches.withDeltas(100, 9, 9), 104))).containsExactly(109L);
    }

    private static byte @Nullable [] filled(int size) {
        if (size < 0) {
            return null;
        }
        byte[] bytes = new byte[size];
        Arrays.fill(bytes, (byte) 0xff);
        return bytes;
    }

    private void assertReadAsByTheOfficialClient(ByteBuffer bytes) {
        List<ConsumerRecord<byte[], byte[]>> records = read(bytes, 0);
        int i = 0;
        for (Record expected : MemoryRecords.readableRecords(bytes).records()) {
            ConsumerRecord<byte[], byte[]> actual = records.get(i++);
            assertThat(actual.offset()).isEqualTo(expected.offset());
            assertThat(actual.timestamp()).isEqualTo(expected.timestamp());
            assertThat(actual.key()).isEqualTo(array(expected.key()));
            assertThat(actual.value()).isEqualTo(array(expected.value()));
            assertThat(actual.headers().toArray()).isEqualTo(expected.headers());
            assertThat(actual.leaderEpoch()).contains(Batches.EPOCH);
        }
        assertThat(records).hasSize(i);
    }

    private static byte @Nullable [] array(@Nullable ByteBuffer bytes) {
        if (bytes == null) {
            return null;
        }
        byte[] array = new byte[bytes.remaining()];
        bytes.get(array);
        return array;
    }

    @ParameterizedTest
    @EnumSource(CompressionType.class)
    void batch_thatOutgrowsTheFirstBuffer_isRead(CompressionType codec) {
        List<SimpleRecord> large = List.of(new SimpleRecord(new byte[900_000]), new SimpleRecord(new byte[100_000]));
        assertThat(read(Batches.batch(codec, 0, large), 0))
                .extracting(record -> record.value().length)
                .containsExactly(900_000, 100_000);
    }

    @ParameterizedTest
    @EnumSource(value = CompressionType.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void batch_thatComesOutLargerThanAllowed_isRefusedWithItsOffset(CompressionType codec) {
        ByteBuffer bytes = Batches.batch(codec, 40, List.of(new SimpleRecord(new byte[3 * MEGABYTE])));
        assertThatExceptionOfType(BatchTooLargeException.class)
                .isThrownBy(() -> read(bytes, 40))
                .withMessageContaining("t-3@40")
                .withMessageContaining("maxBatchBytes=1048576");
        // The reader can read other batches afterwards.
        assertThat(read(Batches.batch(codec, 7, Batches.records(1, 10, 100)), 0))
                .hasSize(10);
    }

    @Test
    void batch_readFromTheMiddle_showsOnlyWhatFollows() {
        ByteBuffer bytes = Batches.batch(CompressionType.LZ4, 100, Batches.records(1, 5, 10));
        assertThat(offsets(read(bytes, 103))).containsExactly(103L, 104L);
        assertThat(reader.fromOffset()).isEqualTo(103);
    }

    @Test
    void batch_withTimesOfTheBroker_showsThem() {
        ByteBuffer bytes =
                Batches.batch(CompressionType.NONE, TimestampType.LOG_APPEND_TIME, 0, false, Batches.records(1, 3, 10));
        assertThat(read(bytes, 0)).allSatisfy(record -> {
            assertThat(record.timestamp()).isEqualTo(1_800_000_000_000L);
            assertThat(record.timestampType()).isEqualTo(TimestampType.LOG_APPEND_TIME);
        });
    }

    @Test
    void batch_withTimesFarApart_showsThem() {
        ByteBuffer bytes = Batches.batch(
                CompressionType.NONE,
                0,
                List.of(
                        new SimpleRecord(0, new byte[1]),
                        new SimpleRecord(Long.MAX_VALUE / 2, new byte[1]),
                        new SimpleRecord(63, new byte[1]),
                        new SimpleRecord(64, new byte[1])));
        assertThat(read(bytes, 0))
                .extracting(ConsumerRecord::timestamp)
                .containsExactly(0L, Long.MAX_VALUE / 2, 63L, 64L);
    }

    @Test
    void abortedTransaction_isLeftOut_andTheNextOfTheSameProducerIsNot() {
        List<SimpleRecord> one = List.of(new SimpleRecord("x".getBytes(StandardCharsets.US_ASCII)));
        ByteBuffer log = Batches.joined(
                Batches.batch(CompressionType.NONE, TimestampType.CREATE_TIME, 0, true, one),
                Batches.batch(CompressionType.NONE, 1, one),
                Batches.batch(CompressionType.ZSTD, TimestampType.CREATE_TIME, 2, true, one),
                Batches.marker(3, false),
                Batches.batch(CompressionType.NONE, TimestampType.CREATE_TIME, 4, true, one),
                Batches.marker(5, true),
                Batches.batch(CompressionType.NONE, TimestampType.CREATE_TIME, 6, true, one),
                Batches.marker(7, false));
        AbortedTransactions aborted = new AbortedTransactions();
        aborted.add(Batches.PRODUCER, 6);
        aborted.add(Batches.PRODUCER, 0);
        assertThat(offsets(read(log, 0, aborted))).containsExactly(1L, 4L);
        assertThat(offsets(read(log, 0))).containsExactly(0L, 1L, 2L, 4L, 6L);
    }

    private static ByteBuffer withAttributes(ByteBuffer batch, int attributes) {
        batch.putShort(BatchLayout.ATTRIBUTES_AT, (short) attributes);
        BatchLayout.putChecksum(batch, batch.limit(), new CRC32C());
        return batch;
    }

    /** Outside transactions, an idempotent producer may have the id of one whose transaction was aborted. */
    @Test
    void batchOutsideTransactions_ofAProducerWhoseTransactionWasAborted_isRead() {
        List<SimpleRecord> one = List.of(new SimpleRecord(new byte[1]));
        ByteBuffer log = Batches.joined(
                Batches.batch(CompressionType.NONE, TimestampType.CREATE_TIME, 0, true, one),
                withAttributes(Batches.batch(CompressionType.NONE, TimestampType.CREATE_TIME, 1, true, one), 0));
        AbortedTransactions aborted = new AbortedTransactions();
        aborted.add(Batches.PRODUCER, 0);
        assertThat(offsets(read(log, 0, aborted))).containsExactly(1L);
    }

    /** Only an abort marker ends an aborted transaction. Control records have other types, too. */
    @ParameterizedTest
    @ValueSource(shorts = {1, 2, 3, 256, -1})
    void controlRecordOfAnotherType_isNotRead_andEndsNoAbortedTransaction(short type) {
        List<SimpleRecord> one = List.of(new SimpleRecord(new byte[1]));
        ByteBuffer key = ByteBuffer.allocate(4).putShort(0, (short) 0).putShort(2, type);
        ByteBuffer shortKey = ByteBuffer.allocate(3);
        ByteBuffer log = Batches.joined(
                Batches.batch(CompressionType.NONE, TimestampType.CREATE_TIME, 0, true, one),
                control(1, new SimpleRecord(0, key.array(), new byte[6])),
                control(2, new SimpleRecord(0, shortKey.array(), new byte[6])),
                control(3, new SimpleRecord(0, null, new byte[6])),
                Batches.batch(CompressionType.NONE, TimestampType.CREATE_TIME, 4, true, one),
                Batches.marker(5, false),
                Batches.batch(CompressionType.NONE, TimestampType.CREATE_TIME, 6, true, one));
        AbortedTransactions aborted = new AbortedTransactions();
        aborted.add(Batches.PRODUCER, 0);
        assertThat(offsets(read(log, 0, aborted))).containsExactly(6L);
        assertThat(offsets(read(log, 0))).containsExactly(0L, 4L, 6L);
        assertThat(offsets(read(log, 0, new AbortedTransactions()))).containsExactly(0L, 4L, 6L);
    }

    private static ByteBuffer control(long offset, SimpleRecord record) {
        return withAttributes(
                Batches.batch(CompressionType.NONE, TimestampType.CREATE_TIME, offset, true, List.of(record)), 0x30);
    }

    @Test
    void abortedTransactions_inAnyOrder_areSorted() {
        AbortedTransactions aborted = new AbortedTransactions();
        for (int i = 0; i < 1_000; i++) {
            aborted.add(i, (i * 7_919L) % 1_000);
        }
        for (int reached = 1; reached <= 1_000; reached++) {
            aborted.reached(reached);
            for (int i = 0; i < 1_000; i++) {
                assertThat(aborted.isAborted(i)).isEqualTo((i * 7_919L) % 1_000 < reached);
            }
        }
    }

    @Test
    void anyFlippedBit_ofWhatTheChecksumCovers_isFound() {
        ByteBuffer bytes = Batches.batch(CompressionType.NONE, 12, Batches.records(3, 4, 40));
        for (int bit = 17 * 8; bit < bytes.limit() * 8; bit++) {
            flip(bytes, bit);
            assertThatExceptionOfType(CorruptBatchException.class)
                    .isThrownBy(() -> read(bytes, 12))
                    .withMessageContaining("t-3@12")
                    .satisfies(fault -> assertThat(fault.offset()).isEqualTo(12));
            flip(bytes, bit);
        }
        assertThat(read(bytes, 0)).hasSize(4);
    }

    private static void flip(ByteBuffer bytes, int bit) {
        bytes.put(bit / 8, (byte) (bytes.get(bit / 8) ^ (1 << (bit % 8))));
    }

    @Test
    void batch_cutOffAnywhere_isRefused() {
        ByteBuffer bytes = Batches.batch(CompressionType.NONE, 12, Batches.records(3, 4, 40));
        for (int length = 1; length < bytes.limit(); length++) {
            ByteBuffer cut = Batches.joined(bytes.duplicate().limit(length));
            assertThatExceptionOfType(CorruptBatchException.class).isThrownBy(() -> read(cut, 0));
        }
    }

    /** Damage to the length and the version, which no checksum covers. */
    @Test
    void sizeOrVersion_thatNoBatchHas_isRefused() {
        ByteBuffer bytes = Batches.batch(CompressionType.NONE, 12, Batches.records(3, 4, 40));
        int length = bytes.getInt(8);
        for (int wrong : new int[] {0, 1, 4, 5, 48, length + 1, -1, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
            assertRefused(bytes.putInt(8, wrong), wrong + 12L + " bytes");
        }
        bytes.putInt(8, length);
        for (int version : new int[] {3, -1, -128, 127}) {
            assertRefused(bytes.put(16, (byte) version), "version " + version);
        }
        for (int version : new int[] {0, 1}) {
            assertRefused(bytes.put(16, (byte) version), UnsupportedBatchException.class, "version " + version);
        }
        assertThat(read(bytes.put(16, (byte) 2), 12)).hasSize(4);
    }

    private void assertRefused(ByteBuffer bytes, String message) {
        assertRefused(bytes, CorruptBatchException.class, message);
    }

    private void assertRefused(ByteBuffer bytes, Class<? extends Exception> type, String message) {
        assertThatExceptionOfType(type)
                .isThrownBy(() -> read(bytes, 12))
                .withMessageContaining("t-3@12")
                .withMessageContaining(message);
    }

    /** The smallest batch has no records. Compaction leaves such a batch for the last sequence of a producer. */
    @Test
    void batchWithoutRecords_isRead() {
        ByteBuffer bytes = Batches.batch(CompressionType.NONE, 12, Batches.records(3, 1, 40));
        ByteBuffer empty = ByteBuffer.allocateDirect(BatchLayout.HEADER_BYTES);
        empty.put(0, bytes, 0, empty.capacity())
                .putInt(8, BatchLayout.HEADER_BYTES - BatchLayout.LOG_OVERHEAD)
                .putInt(57, 0);
        BatchLayout.putChecksum(empty, empty.limit(), new CRC32C());
        assertThat(read(empty, 0)).isEmpty();
        assertThat(reader.nextOffset()).isEqualTo(13);
        assertThat(reader.sizeBytes()).isEqualTo(BatchLayout.HEADER_BYTES);
    }

    /** Numbers that a broker would not write, under a valid checksum. */
    @Test
    void headerThatMakesNoSense_isRefused() {
        assertThat(read(Batches.withDeltas(12, 0, 0), 12)).hasSize(1);
        ByteBuffer batch = Batches.withDeltas(12, 0, 0);
        assertRefused(resealed(batch.putLong(0, -1).putInt(23, 20)), "from offset -1 to 19");
        batch.putLong(0, 12);
        for (int delta : new int[] {-1, -2, Integer.MIN_VALUE}) {
            assertRefused(resealed(batch.putInt(23, delta)), "from offset 12 to " + (12L + delta));
        }
        batch.putLong(0, 20);
        assertRefused(resealed(batch.putInt(23, -1)), "from offset 20 to 19");
        batch.putLong(0, 12).putInt(23, 0);
        assertRefused(resealed(batch.putInt(57, -1)), "-1 records");
        batch.putInt(57, 1);
        assertRefused(resealed(batch.putLong(0, 11)), "from offset 11 to 11");
        batch.putLong(0, 0);
        assertThat(offsets(read(resealed(batch), 0))).containsExactly(0L);
    }

    private static ByteBuffer resealed(ByteBuffer batch) {
        BatchLayout.putChecksum(batch, batch.limit(), new CRC32C());
        return batch;
    }

    @ParameterizedTest
    @ValueSource(ints = {5, 6, 7})
    void codecOfLaterTimes_isRefusedByName(int codec) {
        assertRefused(
                withAttributes(Batches.withDeltas(12, 0, 0), codec),
                UnsupportedBatchException.class,
                "unknown codec " + codec);
    }

    @ParameterizedTest
    @EnumSource(value = CompressionType.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void compressedBytes_thatMakeNoSense_areRefusedWithTheirOffset(CompressionType codec) {
        assertThatExceptionOfType(CorruptBatchException.class)
                .isThrownBy(() -> read(withAttributes(Batches.withDeltas(12, 0, 0), codec.id), 12))
                .withMessageContaining("t-3@12")
                .withMessageContaining(codec.name + ": ")
                .withCauseInstanceOf(CodecException.class);
    }

    @Test
    void batch_showsWhatItsHeaderSays_withoutReadingARecord() {
        ByteBuffer bytes = Batches.joined(
                Batches.batch(CompressionType.NONE, 0, Batches.records(1, 2, 10)),
                Batches.batch(CompressionType.NONE, 40, List.of(at(9_000), at(9_500), at(9_100))));
        assertThat(read(bytes, 0)).hasSize(5).allSatisfy(record -> {
            assertThat(record.topic()).isEqualTo("t");
            assertThat(record.partition()).isEqualTo(3);
        });
        assertThat(reader.topic()).isEqualTo("t");
        assertThat(reader.partition()).isEqualTo(3);
        assertThat(reader.index()).isEqualTo(9);
        assertThat(reader.record().index()).isEqualTo(9);
        assertThat(reader.fromOffset()).isZero();
        assertThat(reader.baseOffset()).isEqualTo(40);
        assertThat(reader.nextOffset()).isEqualTo(43);
        assertThat(reader.recordCount()).isEqualTo(3);
        assertThat(reader.maxTimestamp()).isEqualTo(9_500);
        assertThat(reader.timestampType()).isEqualTo(TimestampType.CREATE_TIME);
        assertThat(reader.record().timestampType()).isEqualTo(TimestampType.CREATE_TIME);
        assertThat(reader.leaderEpoch()).isEqualTo(Batches.EPOCH);
        assertThat(reader.record().leaderEpoch()).isEqualTo(Batches.EPOCH);
        assertThat(reader.records()).isSameAs(reader.record());
        List<SimpleRecord> one = List.of(at(9_000));
        assertThat(read(Batches.batch(CompressionType.NONE, TimestampType.LOG_APPEND_TIME, 0, false, one), 0))
                .hasSize(1);
        assertThat(reader.timestampType()).isEqualTo(TimestampType.LOG_APPEND_TIME);
        assertThat(reader.record().timestampType()).isEqualTo(TimestampType.LOG_APPEND_TIME);
    }

    private static SimpleRecord at(long timestamp) {
        return new SimpleRecord(timestamp, new byte[1]);
    }

    /** No checksum covers the leader's epoch: brokers write it. */
    @Test
    void record_hasTheEpochOfItsLeader_orNone_andTheSizesOfItsParts() {
        ByteBuffer bytes = Batches.batch(
                CompressionType.NONE,
                0,
                List.of(at(5), new SimpleRecord(5, new byte[3], null), new SimpleRecord(5, new byte[0], new byte[70])));
        assertThat(read(bytes.putInt(12, 0), 0))
                .allSatisfy(record -> assertThat(record.leaderEpoch()).contains(0));
        List<ConsumerRecord<byte[], byte[]>> records = read(bytes.putInt(12, -1), 0);
        assertThat(records)
                .allSatisfy(record -> assertThat(record.leaderEpoch()).isEmpty());
        assertThat(records).extracting(ConsumerRecord::serializedKeySize).containsExactly(-1, 3, 0);
        assertThat(records).extracting(ConsumerRecord::serializedValueSize).containsExactly(1, -1, 70);
        assertThat(records.get(1).value()).isNull();
    }

    /** A record's size is its encoded size without the length field. */
    @Test
    void record_hasASize() {
        ByteBuffer bytes = Batches.batch(
                CompressionType.NONE, 0, List.of(at(0), new SimpleRecord(200, new byte[3], new byte[300])));
        reader.of("t", 3, 9);
        reader.open(bytes, 0, bytes.limit(), 0);
        reader.start();
        int at = BatchLayout.HEADER_BYTES;
        for (Record expected : MemoryRecords.readableRecords(bytes).records()) {
            assertThat(reader.next()).isTrue();
            int lengthBytes = expected.sizeInBytes() > 64 ? 2 : 1;
            assertThat(reader.records().sizeBytes()).isEqualTo(expected.sizeInBytes() - lengthBytes);
            at += expected.sizeInBytes();
        }
        assertThat(at).isEqualTo(bytes.limit());
    }

    /** The buffer may have been given to the next response. */
    @Test
    void closedReader_showsNoRecord() {
        ByteBuffer bytes = Batches.batch(CompressionType.NONE, 12, Batches.records(3, 4, 40));
        reader.of("t", 3, 9);
        reader.open(bytes, 0, bytes.limit(), 0);
        reader.start();
        assertThat(reader.next()).isTrue();
        reader.close();
        assertThat(reader.next()).isFalse();
        assertThat(reader.sizeBytes()).isZero();
        assertThat(reader.recordCount()).isZero();
        assertThat(reader.record().value().isNull()).isTrue();
        assertThat(reader.timestampType()).isEqualTo(TimestampType.CREATE_TIME);
    }

    @Test
    void messageSetOfOldTimes_isRefusedByName() {
        ByteBuffer bytes = Batches.batch(CompressionType.NONE, 12, Batches.records(3, 4, 40));
        bytes.put(16, (byte) 1);
        assertThatExceptionOfType(UnsupportedBatchException.class)
                .isThrownBy(() -> read(bytes, 12))
                .withMessageContaining("t-3@12")
                .withMessageContaining("version 1");
    }

    @Test
    void value_readAtOffsets_isBigEndianUnlessAsked() {
        ByteBuffer value = ByteBuffer.allocate(32);
        value.putLong(0, 0x0102030405060708L)
                .putDouble(8, 1.5)
                .putFloat(16, 2.5f)
                .putShort(20, (short) -3);
        reader.of("t", 0, 0);
        ByteBuffer bytes = Batches.batch(CompressionType.NONE, 0, List.of(new SimpleRecord(value.array())));
        reader.open(bytes, 0, bytes.limit(), 0);
        reader.start();
        assertThat(reader.next()).isTrue();
        var slice = reader.record().value();
        assertThat(slice.getLong(0)).isEqualTo(0x0102030405060708L);
        assertThat(slice.getLong(0, ByteOrder.LITTLE_ENDIAN)).isEqualTo(0x0807060504030201L);
        assertThat(slice.getInt(4)).isEqualTo(0x05060708);
        assertThat(slice.getDouble(8)).isEqualTo(1.5);
        assertThat(slice.getFloat(16)).isEqualTo(2.5f);
        assertThat(slice.getShort(20)).isEqualTo((short) -3);
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> slice.getLong(25));
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> slice.getByte(-1));
        assertThat(reader.record().key().isNull()).isTrue();
        assertThat(reader.record().key().length()).isZero();
    }

    @Test
    void headers_areFoundByKey() {
        Header[] headers = {
            new RecordHeader("a", new byte[] {1}), new RecordHeader("b", null), new RecordHeader("a", new byte[] {2})
        };
        ByteBuffer bytes =
                Batches.batch(CompressionType.NONE, 0, List.of(new SimpleRecord(0, null, new byte[0], headers)));
        reader.open(bytes, 0, bytes.limit(), 0);
        reader.start();
        assertThat(reader.next()).isTrue();
        var view = reader.record().headers();
        assertThat(view.count()).isEqualTo(3);
        byte[] a = "a".getBytes(StandardCharsets.UTF_8);
        assertThat(view.next(a)).isTrue();
        assertThat(view.value().getByte(0)).isEqualTo((byte) 1);
        assertThat(view.next(a)).isTrue();
        assertThat(view.value().getByte(0)).isEqualTo((byte) 2);
        assertThat(view.next(a)).isFalse();
        assertThat(reader.record().value().isNull()).isFalse();
    }

    /** Returns the headers of a record without a key and with an empty value, before another record. */
    private HeadersView headers(byte... encoded) {
        byte[] body = new byte[5 + encoded.length];
        body[3] = 1; // no key
        System.arraycopy(encoded, 0, body, 5, encoded.length);
        ByteBuffer bytes =
                Batches.batch(CompressionType.NONE, 0, List.of(new SimpleRecord(0, new byte[body.length - 6]), at(0)));
        bytes.put(BatchLayout.HEADER_BYTES + 1, body);
        reader.of("t", 3, 9);
        reader.open(bytes, 0, bytes.limit(), 0);
        reader.start();
        assertThat(reader.next()).isTrue();
        return reader.record().headers();
    }

    @Test
    void headers_areReadUpToTheEndOfTheirRecord() {
        HeadersView view =
                headers((byte) 4, (byte) 2, (byte) 'a', (byte) 1, (byte) 0, (byte) 4, (byte) 'b', (byte) 'c');
        assertThat(view.count()).isEqualTo(2);
        assertThat(view.next()).isTrue();
        assertThat(view.key().toUtf8()).isEqualTo("a");
        assertThat(view.value().isNull()).isTrue();
        assertThat(view.next()).isTrue();
        assertThat(view.key().toUtf8()).isEmpty();
        assertThat(view.value().toUtf8()).isEqualTo("bc");
        assertThat(view.next()).isFalse();
        assertThat(view.next()).isFalse();
        assertThat(reader.next()).isTrue();
        assertThat(reader.next()).isFalse();
    }

    /** The bytes after the record belong to the next one. */
    @Test
    void headersThatMakeNoSense_areRefused_beforeAPartOfAnotherRecordIsShown() {
        for (byte[] encoded : new byte[][] {
            {2, 1, 0}, // no key
            {2, 3, 0}, // a key of -2 bytes
            {2, 2, 'a', 3}, // a value of -2 bytes
            {2, 4, 'a'}, // a key over the end
            {2, 2, 'a', 2}, // a value over the end
            {2, 2, 'a'}, // a length over the end
            {4, 2, 'a', 1}, // one of two headers
            {2, 2, 'a', 1, 0}, // a byte behind the header
            {2, 2, 'a', -1, -1, -1, -1, -1, -1} // a number without an end
        }) {
            HeadersView view = headers(encoded);
            assertThatExceptionOfType(CorruptBatchException.class)
                    .as(Arrays.toString(encoded))
                    .isThrownBy(() -> {
                        while (view.next()) {
                            assertThat(view.key().toUtf8()).isEqualTo("a");
                        }
                    })
                    .withMessageContaining("t-3@0");
        }
    }

    @Test
    void bytesBehindTheLastHeader_areCounted() {
        HeadersView view = headers((byte) 2, (byte) 2, (byte) 'a', (byte) 1, (byte) 0, (byte) 0);
        assertThatExceptionOfType(CorruptBatchException.class)
                .isThrownBy(view::next)
                .withMessageContaining("2 bytes behind the last header");
    }

    /** A header takes at least two bytes. */
    @Test
    void numberOfHeaders_thatTheRecordCannotHave_isRefusedBeforeTheRecordIsShown() {
        for (byte[] encoded : new byte[][] {{1, 0, 0}, {0, 0}, {6, 0, 0}, {-2, -1, -1, -1, 15}}) {
            assertThatExceptionOfType(CorruptBatchException.class)
                    .as(Arrays.toString(encoded))
                    .isThrownBy(() -> headers(encoded))
                    .withMessageContaining("t-3@0")
                    .withMessageContaining(" headers in ");
        }
    }

    /** Regression: each closed consumer leaked a native Zstandard context. */
    @Test
    void decompressorThatIsClosed_hasFreedWhatItsCodecsHad() {
        ByteBuffer bytes = Batches.batch(CompressionType.ZSTD, 0, Batches.records(1, 10, 50));
        Decompressor decompressor = new Decompressor(MEGABYTE);
        BatchReader itsReader = new BatchReader(decompressor);
        itsReader.of("t", 0, 0);
        itsReader.open(bytes, 0, bytes.limit(), 0);
        itsReader.start();
        assertThat(itsReader.next()).isTrue();
        decompressor.close();
        assertThatIllegalStateException().isThrownBy(itsReader::start);
    }
}
