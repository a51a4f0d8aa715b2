package dev.weir.checks.jmh;

import dev.weir.lean.KeptBatches;
import dev.weir.lean.RecordEncoder;
import dev.weir.lean.internal.batch.BatchReader;
import dev.weir.lean.internal.batch.Decompressor;
import dev.weir.lean.internal.encode.BatchWriter;
import dev.weir.lean.internal.encode.RecordBytes;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;
import java.util.zip.CRC32C;

/**
 * Measures the CPU time per record of adding records to batches. The variants take turns, and the result of each is the
 * minimum of many rounds. Batches of 128 kB are written to 64 buffers in turn, 8 MB altogether, so that a buffer is no
 * longer in the core's cache when it is written again.
 *
 * <ul>
 *   <li>array, slice, encoder: appends a value from an array, from the buffer of a fetched record, or through an
 *       encoder; no checksum is computed
 *   <li>later: encodes a value into {@code LeanRecords} first, and copies it into a batch from there
 *   <li>stamp: writes the header and checksum of a batch; the time is divided by the number of its records
 *   <li>keep: copies a fetched batch with {@link KeptBatches}; the time is divided by the number of its records
 *   <li>walk: iterates over the records of such a copy and reads eight bytes of each
 * </ul>
 *
 * <p>Run: {@code java -cp checks/jmh/target/benchmarks.jar dev.weir.checks.jmh.LeanEncode 23 100 1000}
 */
public final class LeanEncode {

    private static final int ROUNDS = 60;
    private static final int WARM_UP = 30;
    private static final int BATCH_BYTES = 128 * 1024;
    private static final int BATCHES = 64;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final int valueBytes;
    private final byte[] array;
    private final ByteBuffer fetched;
    private final BatchWriter[] writers = new BatchWriter[BATCHES];
    private final KeptBatches[] kept = new KeptBatches[BATCHES];
    private final RecordBytes record = new RecordBytes();
    private final RecordBytes shown = new RecordBytes();
    private final ByteBuffer tails = ByteBuffer.allocate(2 * BATCH_BYTES);
    private final BatchReader reader = new BatchReader(new Decompressor(1));
    private final CRC32C crc = new CRC32C();
    private int perBatch;

    private final RecordEncoder<byte[]> encoder = new RecordEncoder<>() {
        @Override
        public int sizeBytes(byte[] value) {
            return value.length;
        }

        @Override
        public void encode(byte[] value, ByteBuffer to) {
            to.putLong(7).put(value, 0, value.length - Long.BYTES);
        }
    };

    private LeanEncode(int valueBytes) {
        this.valueBytes = valueBytes;
        this.array = new byte[valueBytes];
        Arrays.fill(array, (byte) 'x');
        this.fetched = ByteBuffer.allocateDirect(BATCH_BYTES);
        while (fetched.hasRemaining()) {
            fetched.put((byte) 'x');
        }
        fetched.clear();
        for (int i = 0; i < BATCHES; i++) {
            writers[i] = new BatchWriter(ByteBuffer.allocateDirect(BATCH_BYTES));
            kept[i] = new KeptBatches(2 * BATCH_BYTES);
        }
        perBatch = (int) fill(writers[0], this::ofArray);
        long ignored = all(this::ofArray) + stamp();
    }

    /** Takes sizes of values in bytes, each at least 8. */
    public static void main(String[] args) {
        System.out.println("| value | array | slice | encoder | later | stamp | keep | walk |\n"
                + "|--:|--:|--:|--:|--:|--:|--:|--:|");
        for (String size : args) {
            LeanEncode one = new LeanEncode(Integer.parseInt(size));
            List<LongSupplier> all = List.of(
                    () -> one.all(one::ofArray),
                    () -> one.all(one::ofSlice),
                    () -> one.all(one::byEncoder),
                    () -> one.all(one::later),
                    one::stamp,
                    one::keep,
                    one::walk);
            double[] least = new double[all.size()];
            Arrays.fill(least, Double.MAX_VALUE);
            for (int round = 0; round < ROUNDS; round++) {
                for (int i = 0; i < least.length; i++) {
                    long start = THREADS.getCurrentThreadCpuTime();
                    long records = all.get(i).getAsLong();
                    double nanos = (THREADS.getCurrentThreadCpuTime() - start) / (double) records;
                    least[i] = round < WARM_UP ? least[i] : Math.min(least[i], nanos);
                }
            }
            System.out.print("| " + size);
            for (double nanos : least) {
                System.out.printf(Locale.ROOT, " | %.1f", nanos);
            }
            System.out.println(" |");
        }
    }

    /** Appends one record to a batch. Returns false if the batch is full. */
    private interface Append {
        boolean to(BatchWriter writer, int number);
    }

    private long all(Append append) {
        long records = 0;
        for (BatchWriter writer : writers) {
            records += fill(writer, append);
        }
        return records;
    }

    private static long fill(BatchWriter writer, Append append) {
        writer.clear();
        int number = 0;
        while (append.to(writer, number)) {
            number++;
        }
        return number;
    }

    private boolean ofArray(BatchWriter writer, int number) {
        record.value.wrap(array, 0, valueBytes);
        return writer.append(record, 1_000);
    }

    private boolean ofSlice(BatchWriter writer, int number) {
        record.value.wrap(fetched, number * 16 % (BATCH_BYTES - valueBytes), valueBytes);
        return writer.append(record, 1_000);
    }

    private boolean byEncoder(BatchWriter writer, int number) {
        record.value.wrap(array, encoder);
        return writer.append(record, 1_000);
    }

    private boolean later(BatchWriter writer, int number) {
        record.value.wrap(fetched, number * 16 % (BATCH_BYTES - valueBytes), valueBytes);
        int from = number % 1_000 * (valueBytes + 8) % BATCH_BYTES;
        int end = record.putTail(tails, from);
        shown.showTail(tails, from, end);
        return writer.append(shown, 1_000);
    }

    private long stamp() {
        for (BatchWriter writer : writers) {
            writer.stamp(1, (short) 0, 0, crc);
        }
        return (long) BATCHES * perBatch;
    }

    private long keep() {
        reader.of("t", 0, 0);
        for (int i = 0; i < BATCHES; i++) {
            reader.open(writers[i].bytes(), 0, writers[i].sizeBytes(), 0);
            reader.start();
            kept[i].clear();
            if (!kept[i].add(reader)) {
                throw new IllegalStateException("no room");
            }
            reader.close();
        }
        return (long) BATCHES * perBatch;
    }

    private long walk() {
        long sum = 0;
        long records = 0;
        for (KeptBatches each : kept) {
            each.rewind();
            while (each.next()) {
                sum += each.record().value().getLong(0);
                records++;
            }
        }
        if (sum == 0) {
            throw new IllegalStateException("nothing was read");
        }
        return records;
    }
}
