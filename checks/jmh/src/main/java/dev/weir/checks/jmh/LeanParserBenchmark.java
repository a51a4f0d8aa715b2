package dev.weir.checks.jmh;

import dev.weir.lean.RecordHandler;
import dev.weir.lean.internal.batch.BatchReader;
import dev.weir.lean.internal.batch.Decompressor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.Record;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures reading records from batches in memory, including the checksum and eight bytes of each value. The official
 * client's classes are the baseline. Not timed: the network and the parsing of fetch responses.
 *
 * <p>Run: {@code java -jar checks/jmh/target/benchmarks.jar LeanParser -prof gc}
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class LeanParserBenchmark {

    private static final int BATCHES = 10;
    private static final int PER_BATCH = 1_000;
    static final int RECORDS = BATCHES * PER_BATCH;

    @Param({"100"})
    int valueBytes;

    @Param({"0"})
    int keyBytes;

    @Param({"NONE", "LZ4", "ZSTD", "SNAPPY", "GZIP"})
    CompressionType codec = CompressionType.NONE;

    private final BatchReader reader = new BatchReader(new Decompressor(64 * 1024 * 1024));
    private ByteBuffer bytes = ByteBuffer.allocateDirect(0);
    private MemoryRecords records = MemoryRecords.EMPTY;
    private long handled;
    private long position;
    private final RecordHandler handler = record -> handled += record.value().getLong(0) + record.offset();

    /** Writes the batches. */
    @Setup
    public void write() {
        Random random = new Random(1);
        ByteBuffer all = ByteBuffer.allocateDirect(RECORDS * (keyBytes + valueBytes + 100));
        for (int batch = 0; batch < BATCHES; batch++) {
            MemoryRecordsBuilder builder = MemoryRecords.builder(
                    ByteBuffer.allocate(PER_BATCH * (keyBytes + valueBytes + 100)),
                    Compression.of(codec).build(),
                    TimestampType.CREATE_TIME,
                    (long) batch * PER_BATCH);
            for (int i = 0; i < PER_BATCH; i++) {
                byte[] value = new byte[valueBytes];
                for (int at = 0; at < valueBytes; at++) {
                    value[at] = (byte) random.nextInt(at % 2 == 0 ? 2 : 64);
                }
                builder.append(1_700_000_000_000L + i / 20, keyBytes == 0 ? null : new byte[keyBytes], value);
            }
            all.put(builder.build().buffer());
        }
        bytes = ByteBuffer.allocateDirect(all.flip().limit()).put(all).rewind();
        records = MemoryRecords.readableRecords(bytes.duplicate());
    }

    /** Iterates over Weir's views. */
    @Benchmark
    @OperationsPerInvocation(RECORDS)
    public long weir() {
        long sum = 0;
        reader.of("t", 0, 0);
        for (int at = 0; at < bytes.limit(); at += reader.sizeBytes()) {
            reader.open(bytes, at, bytes.limit(), 0);
            reader.verify(true);
            reader.start();
            while (reader.records().next()) {
                sum += reader.records().value().getLong(0) + reader.records().offset();
            }
        }
        return sum;
    }

    /** Passes Weir's record views to a handler, like {@code LeanConsumer.poll}. */
    @Benchmark
    @OperationsPerInvocation(RECORDS)
    public long weirHandler() {
        reader.of("t", 0, 0);
        for (int at = 0; at < bytes.limit(); at += reader.sizeBytes()) {
            reader.open(bytes, at, bytes.limit(), 0);
            reader.verify(true);
            reader.start();
            while (reader.records().next()) {
                handler.onRecord(reader.records());
                position = reader.records().offset() + 1;
            }
        }
        return handled + position;
    }

    /** Iterates over the records like {@link BareLoop}. {@link LeanWalk} uses this method. */
    long bare(BareLoop loop) {
        try {
            int next;
            for (int at = 0; at < bytes.limit(); at = next) {
                next = at + bytes.getInt(at + Long.BYTES) + Long.BYTES + Integer.BYTES;
                loop.batch(bytes, at, next);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return loop.sum();
    }

    /** Does the official fetcher's work on a batch before deserialization. */
    @Benchmark
    @OperationsPerInvocation(RECORDS)
    public long client() {
        long sum = 0;
        for (var batch : records.batches()) {
            batch.ensureValid();
            for (Record record : batch) {
                sum += record.value().getLong(0) + record.offset();
            }
        }
        return sum;
    }
}
