package dev.weir.lean.internal.encode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.sun.management.ThreadMXBean;
import dev.weir.lean.LeanCompression;
import dev.weir.lean.RecordEncoder;
import dev.weir.lean.internal.batch.BatchReader;
import dev.weir.lean.internal.batch.Decompressor;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests that the official client and Weir's reader read written batches unchanged. */
class BatchWriterTest {

    /** Batches per codec; 10,000 in total. */
    private static final int BATCHES = 2_000;

    private static final int CAPACITY = 200 * 1024;
    private static final long PRODUCER = 1L << 40;
    private static final short EPOCH = 77;

    private final CRC32C crc = new CRC32C();
    private final RecordBytes bytes = new RecordBytes();

    @ParameterizedTest
    @EnumSource(LeanCompression.class)
    void randomBatches_readByTheOfficialClientAndByWeir_areTheSame(LeanCompression codec) {
        int smaller = 0;
        try (Compressor compressor = new Compressor(codec);
                Decompressor decompressor = new Decompressor(CAPACITY)) {
            BatchReader reader = new BatchReader(decompressor);
            BatchWriter direct = new BatchWriter(ByteBuffer.allocateDirect(CAPACITY));
            BatchWriter heap = new BatchWriter(ByteBuffer.allocate(CAPACITY));
            for (int seed = 0; seed < BATCHES; seed++) {
                Random random = new Random(seed);
                BatchWriter writer = random.nextInt(4) == 0 ? heap : direct;
                List<SimpleRecord> records = write(writer, random);
                int plain = writer.sizeBytes();
                compressor.compress(writer);
                smaller += writer.sizeBytes() < plain ? 1 : 0;
                int sequence = random.nextInt(Integer.MAX_VALUE);
                writer.stamp(PRODUCER + seed, EPOCH, sequence, crc);
                ByteBuffer batch =
                        ByteBuffer.allocateDirect(writer.sizeBytes()).put(0, writer.bytes(), 0, writer.sizeBytes());
                checkOfficially(batch, records, seed, sequence);
                checkByWeir(reader, batch, records, seed);
            }
        }
        assertThat(smaller).isGreaterThanOrEqualTo(codec == LeanCompression.NONE ? 0 : BATCHES / 4);
    }

    private static final RecordEncoder<String> TEXTS = new RecordEncoder<>() {
        @Override
        public int sizeBytes(String text) {
            return text.length();
        }

        @Override
        public void encode(String text, ByteBuffer to) {
            to.order(ByteOrder.LITTLE_ENDIAN);
            to.put(text.substring(text.startsWith("short") ? 1 : 0).getBytes(StandardCharsets.US_ASCII));
            if (text.startsWith("bad")) {
                throw new IllegalArgumentException(text);
            }
        }
    };

    @Test
    void encodedObjects_areWrittenInPlace_andOneThatFailsLeavesNoTrace() {
        BatchWriter writer = new BatchWriter(ByteBuffer.allocateDirect(CAPACITY));
        BatchWriter arrays = new BatchWriter(ByteBuffer.allocateDirect(CAPACITY));
        for (String text : List.of("one", "", "three hundred " + "x".repeat(300))) {
            bytes.encodeKey("key of " + text, TEXTS);
            bytes.value.wrap(text, TEXTS);
            assertThat(writer.append(bytes, 1_000)).isTrue();
            byte[] key = ("key of " + text).getBytes(StandardCharsets.US_ASCII);
            bytes.key.wrap(key, 0, key.length);
            bytes.value.wrap(text.getBytes(StandardCharsets.US_ASCII), 0, text.length());
            assertThat(arrays.append(bytes, 1_000)).isTrue();

            bytes.value.wrap("bad", TEXTS);
            assertThatIllegalArgumentException().isThrownBy(() -> writer.append(bytes, 9_000));
            bytes.value.wrap("short", TEXTS);
            assertThatIllegalStateException()
                    .isThrownBy(() -> writer.append(bytes, 9_000))
                    .withMessage("an encoder wrote 4 bytes, but its sizeBytes had returned 5");
        }
        writer.stamp(PRODUCER, EPOCH, 5, crc);
        arrays.stamp(PRODUCER, EPOCH, 5, crc);
        assertThat(contents(writer)).isEqualTo(contents(arrays));
    }

    /** Records copied into a batch after their encoding must have the same bytes. */
    @Test
    void recordsPutTogetherBefore_areWrittenAsThoseThatAreSentAtOnce() {
        BatchWriter atOnce = new BatchWriter(ByteBuffer.allocateDirect(CAPACITY));
        BatchWriter later = new BatchWriter(ByteBuffer.allocateDirect(CAPACITY));
        ByteBuffer tails = ByteBuffer.allocate(CAPACITY);
        RecordBytes shown = new RecordBytes();
        for (int seed = 0; seed < 200; seed++) {
            List<SimpleRecord> records = write(atOnce, new Random(seed));
            later.clear();
            int at = 0;
            for (SimpleRecord record : records) {
                show(record, new Random(seed));
                int end = bytes.putTail(tails, at);
                shown.showTail(tails, at, end);
                assertThat(shown.key.length()).isEqualTo(bytes.key.length());
                assertThat(later.append(shown, record.timestamp())).isTrue();
                at = end;
            }
            atOnce.stamp(PRODUCER, EPOCH, seed, crc);
            later.stamp(PRODUCER, EPOCH, seed, crc);
            assertThat(contents(later)).isEqualTo(contents(atOnce));
        }
    }

    /** Tests sizes around which an encoded number grows by a byte, and small batches of every capacity. */
    @Test
    void recordsAtTheBoundsOfNumbers_areReadBackTheSame_andFillTheBatchAsTheirSizesSay() {
        List<SimpleRecord> all = new ArrayList<>();
        for (int keyBytes : new int[] {-1, 0, 1, 62, 63, 64, 65}) {
            for (int valueBytes : new int[] {-1, 0, 1, 62, 63, 64, 65, 110, 8_118, 8_119, 8_120, 8_191, 8_192}) {
                for (long delta : new long[] {0, 63, 64, 8_191, 8_192, -1, Long.MAX_VALUE / 4}) {
                    all.add(new SimpleRecord(
                            1_700_000_000_000L + delta, bytesOf(keyBytes), bytesOf(valueBytes), new Header[0]));
                }
            }
        }
        all.addFirst(new SimpleRecord(1_700_000_000_000L, bytesOf(-1), bytesOf(-1), new Header[0]));
        BatchWriter writer = new BatchWriter(ByteBuffer.allocateDirect(8 << 20));
        writer.clear();
        for (SimpleRecord record : all) {
            show(record, new Random(1));
            assertThat(writer.append(bytes, record.timestamp())).isTrue();
        }
        writer.stamp(PRODUCER, EPOCH, 1, crc);
        checkOfficially(
                ByteBuffer.allocateDirect(writer.sizeBytes()).put(0, writer.bytes(), 0, writer.sizeBytes()), all, 0, 1);
        for (int valueBytes : new int[] {-1, 0, 1, 50}) {
            for (int capacity = 61; capacity < 400; capacity++) {
                checkFilled(capacity, valueBytes);
            }
        }
    }

    private void checkFilled(int capacity, int valueBytes) {
        BatchWriter writer = new BatchWriter(ByteBuffer.allocateDirect(capacity));
        writer.clear();
        show(new SimpleRecord(1_000, bytesOf(-1), bytesOf(valueBytes), new Header[0]), new Random(1));
        int size = 61;
        while (size + bytes.encodedBytes(0, writer.count()) <= capacity) {
            size += bytes.encodedBytes(0, writer.count());
            assertThat(writer.append(bytes, 1_000))
                    .as("at " + size + " of " + capacity)
                    .isTrue();
            assertThat(writer.sizeBytes()).isEqualTo(size);
        }
        assertThat(writer.append(bytes, 1_000))
                .as("behind " + size + " of " + capacity)
                .isFalse();
        assertThat(writer.sizeBytes()).isEqualTo(size);
    }

    private static byte @Nullable [] bytesOf(int length) {
        byte[] made = length < 0 ? null : new byte[length];
        if (made != null) {
            new Random(length).nextBytes(made);
        }
        return made;
    }

    private static ByteBuffer contents(BatchWriter writer) {
        return writer.bytes().slice(0, writer.sizeBytes());
    }

    private List<SimpleRecord> write(BatchWriter writer, Random random) {
        writer.clear();
        List<SimpleRecord> records = new ArrayList<>();
        int count = 1 + random.nextInt(1 << random.nextInt(8));
        int largest = 1 << random.nextInt(14);
        // Timestamps are close together, or far apart as with clocks that disagree.
        int spread = random.nextBoolean() ? 100 : Integer.MAX_VALUE;
        while (records.size() < count) {
            SimpleRecord record = new SimpleRecord(
                    Integer.MAX_VALUE + (long) random.nextInt(spread),
                    random.nextInt(4) == 0 ? null : random(random, 40),
                    random.nextInt(6) == 0 ? null : random(random, largest),
                    headers(random));
            show(record, random);
            int before = writer.sizeBytes();
            if (!writer.append(bytes, record.timestamp())) {
                assertThat(writer.sizeBytes()).isEqualTo(before);
                assertThat(before + bytes.maxBytes()).isGreaterThan(CAPACITY);
                break;
            }
            records.add(record);
        }
        assertThat(writer.count()).isEqualTo(records.size());
        return records;
    }

    private static byte[] random(Random random, int largest) {
        byte[] bytes = new byte[random.nextInt(largest + 1)];
        boolean dense = random.nextBoolean();
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (dense || i % 5 == 0 ? random.nextInt() : 'x');
        }
        return bytes;
    }

    private static Header[] headers(Random random) {
        Header[] headers = new Header[random.nextInt(3) == 0 ? random.nextInt(5) : 0];
        Arrays.setAll(
                headers,
                i -> new RecordHeader(
                        "h€".repeat(random.nextInt(3)), random.nextInt(3) == 0 ? null : random(random, 90)));
        return headers;
    }

    /** Passes a record to the encoder, with its parts in arrays, in buffers, or absent. */
    private void show(SimpleRecord record, Random random) {
        wrap(bytes.key, toBytes(record.key()), random);
        wrap(bytes.value, toBytes(record.value()), random);
        bytes.clearHeaders();
        for (Header header : record.headers()) {
            wrap(bytes.headerName(), header.key().getBytes(StandardCharsets.UTF_8), random);
            wrap(bytes.headerValue(), header.value(), random);
            bytes.addHeader();
        }
    }

    private static void wrap(RecordPart part, byte @Nullable [] content, Random random) {
        if (content == null) {
            part.clear();
            return;
        }
        int before = random.nextInt(3);
        if (random.nextBoolean()) {
            byte[] array = new byte[before + content.length + 1];
            System.arraycopy(content, 0, array, before, content.length);
            part.wrap(array, before, content.length);
        } else {
            ByteBuffer buffer =
                    ByteBuffer.allocateDirect(before + content.length + 1).put(before, content);
            part.wrap(buffer, before, content.length);
        }
    }

    private static byte @Nullable [] toBytes(@Nullable ByteBuffer buffer) {
        if (buffer == null) {
            return null;
        }
        byte[] copy = new byte[buffer.remaining()];
        buffer.get(buffer.position(), copy);
        return copy;
    }

    private static void checkOfficially(ByteBuffer batch, List<SimpleRecord> records, int seed, int sequence) {
        List<MutableRecordBatch> all = new ArrayList<>();
        MemoryRecords.readableRecords(batch.duplicate()).batches().forEach(all::add);
        assertThat(all).hasSize(1);
        MutableRecordBatch read = all.getFirst();
        read.ensureValid();
        assertThat(read.sizeInBytes()).isEqualTo(batch.capacity());
        assertThat(read.producerId()).isEqualTo(PRODUCER + seed);
        assertThat(read.producerEpoch()).isEqualTo(EPOCH);
        assertThat(read.baseSequence()).isEqualTo(sequence);
        assertThat(read.isTransactional() || read.isControlBatch()).isFalse();
        assertThat(read.countOrNull()).isEqualTo(records.size());
        assertThat(read.lastOffset()).isEqualTo(records.size() - 1);
        assertThat(read.maxTimestamp())
                .isEqualTo(records.stream()
                        .mapToLong(SimpleRecord::timestamp)
                        .max()
                        .orElseThrow());
        List<SimpleRecord> back = new ArrayList<>();
        for (Record record : read) {
            record.ensureValid();
            assertThat(record.offset()).isEqualTo(back.size());
            back.add(new SimpleRecord(record));
        }
        assertThat(back).as("seed " + seed).isEqualTo(records);
    }

    private static void checkByWeir(BatchReader reader, ByteBuffer batch, List<SimpleRecord> records, int seed) {
        reader.of("t", 0, 0);
        reader.open(batch, 0, batch.capacity(), 0);
        reader.verify(true);
        reader.start();
        List<SimpleRecord> back = new ArrayList<>();
        while (reader.next()) {
            ConsumerRecord<byte[], byte[]> record = reader.record().toConsumerRecord();
            back.add(new SimpleRecord(
                    record.timestamp(),
                    record.key(),
                    record.value(),
                    record.headers().toArray()));
        }
        assertThat(back).as("seed " + seed).isEqualTo(records);
    }

    @Test
    void records_writtenAfterWarmUp_allocateNothing() {
        BatchWriter writer = new BatchWriter(ByteBuffer.allocateDirect(CAPACITY));
        bytes.key.wrap(new byte[] {1, 2, 3}, 0, 3);
        bytes.value.wrap(ByteBuffer.allocateDirect(100), 0, 100);
        bytes.headerName().wrap(new byte[] {'a'}, 0, 1);
        bytes.headerValue().wrap(new byte[20], 0, 20);
        bytes.addHeader();
        long warm = fill(writer, 1_000);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        long written = fill(writer, 1_000);
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertThat(written).isEqualTo(warm).isGreaterThan(1_000_000);
        assertThat(allocated).as("bytes for %d records", written).isLessThan(2_000);
    }

    private long fill(BatchWriter writer, int batches) {
        long count = 0;
        for (int i = 0; i < batches; i++) {
            writer.clear();
            while (writer.append(bytes, 1_700_000_000_000L + count)) {
                count++;
            }
            writer.stamp(PRODUCER, EPOCH, i, crc);
        }
        return count;
    }

    @Test
    void keys_areDividedAsTheOfficialClientDoes() {
        for (int seed = 0; seed < 5_000; seed++) {
            Random random = new Random(seed);
            byte[] key = random(random, 70);
            int partitions = 1 + random.nextInt(1_000);
            wrap(bytes.key, key, random);
            assertThat(Murmur2Hash.partition(bytes.key, partitions))
                    .as("seed " + seed)
                    .isEqualTo(BuiltInPartitioner.partitionForKey(key, partitions));
        }
    }
}
