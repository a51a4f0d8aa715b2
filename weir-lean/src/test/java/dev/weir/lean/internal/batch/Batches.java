package dev.weir.lean.internal.batch;

import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;

/** The official client's batches. Stateless. */
public final class Batches {

    public static final long PRODUCER = 77;
    public static final int EPOCH = 5;

    private static final int LAST_DELTA_AT = 23;

    private Batches() {}

    /** Returns a batch in a direct buffer of exactly its size: reading past its end fails. */
    public static ByteBuffer batch(CompressionType codec, long baseOffset, List<SimpleRecord> records) {
        return batch(codec, TimestampType.CREATE_TIME, baseOffset, false, records);
    }

    public static ByteBuffer batch(
            CompressionType codec,
            TimestampType timestamps,
            long baseOffset,
            boolean transactional,
            List<SimpleRecord> records) {
        MemoryRecordsBuilder builder =
                builder(codec, timestamps, baseOffset, transactional, false, 1024 + 2 * sizeOf(records));
        records.forEach(builder::append);
        return direct(builder);
    }

    /**
     * Returns an uncompressed batch with these offset deltas, each below 64. The official client refuses deltas that do
     * not increase.
     */
    public static ByteBuffer withDeltas(long baseOffset, int lastDelta, int... deltas) {
        List<SimpleRecord> same = Collections.nCopies(deltas.length, new SimpleRecord(0, new byte[1]));
        ByteBuffer bytes = batch(CompressionType.NONE, baseOffset, same);
        int recordBytes = (bytes.limit() - BatchLayout.HEADER_BYTES) / deltas.length;
        for (int i = 0; i < deltas.length; i++) {
            // Length, attributes and timestamp take one byte each.
            bytes.put(BatchLayout.HEADER_BYTES + i * recordBytes + 3, (byte) (deltas[i] << 1));
        }
        bytes.putInt(LAST_DELTA_AT, lastDelta);
        BatchLayout.putChecksum(bytes, bytes.limit(), new CRC32C());
        return bytes;
    }

    /** Returns a batch with a number of offsets, but without their records, as compaction may leave it. */
    public static ByteBuffer withoutRecords(long baseOffset, int offsets) {
        ByteBuffer header = ByteBuffer.allocateDirect(BatchLayout.HEADER_BYTES);
        header.put(0, withDeltas(baseOffset, offsets - 1, 0), 0, header.capacity())
                .putInt(8, BatchLayout.HEADER_BYTES - BatchLayout.LOG_OVERHEAD)
                .putInt(57, 0);
        BatchLayout.putChecksum(header, header.limit(), new CRC32C());
        return header;
    }

    /** Returns the end marker of a transaction of {@link #PRODUCER}. */
    public static ByteBuffer marker(long offset, boolean commit) {
        MemoryRecordsBuilder builder =
                builder(CompressionType.NONE, TimestampType.CREATE_TIME, offset, true, true, 1024);
        builder.appendEndTxnMarker(
                1, new EndTransactionMarker(commit ? ControlRecordType.COMMIT : ControlRecordType.ABORT, 0));
        return direct(builder);
    }

    /** Returns records with null, empty and large parts up to {@code largest} bytes, and with headers. */
    public static List<SimpleRecord> records(long seed, int count, int largest) {
        Random random = new Random(seed);
        long start = 1_700_000_000_000L;
        return random.ints(count, 0, 8)
                .mapToObj(shape -> new SimpleRecord(
                        start + random.nextInt(100_000) - 50_000,
                        shape == 0 ? null : bytes(random, 20),
                        shape == 1 ? null : bytes(random, largest),
                        random.ints(shape < 5 ? 0 : shape, 0, 3)
                                .mapToObj(part -> new RecordHeader("h" + part, part == 0 ? null : bytes(random, 30)))
                                .toArray(Header[]::new)))
                .toList();
    }

    public static ByteBuffer joined(ByteBuffer... parts) {
        int total = 0;
        for (ByteBuffer part : parts) {
            total += part.limit();
        }
        ByteBuffer all = ByteBuffer.allocateDirect(total);
        for (ByteBuffer part : parts) {
            all.put(part.duplicate().rewind());
        }
        return all.rewind();
    }

    private static byte[] bytes(Random random, int largest) {
        byte[] bytes = new byte[random.nextInt(largest + 1)];
        // Half of the bytes can be compressed.
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (i % 2 == 0 ? 'x' : random.nextInt());
        }
        return bytes;
    }

    private static int sizeOf(List<SimpleRecord> records) {
        return records.stream()
                .mapToInt(record -> 200
                        + (record.key() == null ? 0 : record.key().remaining())
                        + (record.value() == null ? 0 : record.value().remaining()))
                .sum();
    }

    private static MemoryRecordsBuilder builder(
            CompressionType codec,
            TimestampType timestamps,
            long baseOffset,
            boolean transactional,
            boolean control,
            int size) {
        return new MemoryRecordsBuilder(
                ByteBuffer.allocate(size),
                RecordBatch.MAGIC_VALUE_V2,
                Compression.of(codec).build(),
                timestamps,
                baseOffset,
                1_800_000_000_000L,
                transactional ? PRODUCER : RecordBatch.NO_PRODUCER_ID,
                (short) (transactional ? 1 : -1),
                transactional ? 0 : RecordBatch.NO_SEQUENCE,
                transactional,
                control,
                EPOCH,
                size);
    }

    private static ByteBuffer direct(MemoryRecordsBuilder builder) {
        ByteBuffer built = builder.build().buffer();
        return ByteBuffer.allocateDirect(built.remaining()).put(built).rewind();
    }
}
