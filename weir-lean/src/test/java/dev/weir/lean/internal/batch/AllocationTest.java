package dev.weir.lean.internal.batch;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests that a reader allocates nothing per record, and next to nothing per batch. */
class AllocationTest {

    private static final int RECORDS = 1_000;
    private static final int WARM_BATCHES = 2_000;
    private static final int BATCHES = 1_000;

    /** Allocations of the measurement itself. */
    private static final long SLACK_BYTES = 2_000;

    private final BatchReader reader = new BatchReader(new Decompressor(1024 * 1024));
    private long sum;

    @ParameterizedTest
    @EnumSource(CompressionType.class)
    void records_readAfterWarmUp_allocateNothing(CompressionType codec) {
        List<SimpleRecord> records = IntStream.range(0, RECORDS)
                .mapToObj(i -> new SimpleRecord(i, new byte[] {(byte) i}, new byte[100]))
                .toList();
        ByteBuffer bytes = Batches.batch(codec, 0, records);
        reader.of("t", 0, 0);
        read(bytes, WARM_BATCHES);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        read(bytes, BATCHES);
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertThat(sum).isPositive();
        assertThat(allocated)
                .as("bytes for %d records in %d batches", RECORDS * BATCHES, BATCHES)
                .isLessThanOrEqualTo(SLACK_BYTES);
    }

    private void read(ByteBuffer bytes, int times) {
        for (int i = 0; i < times; i++) {
            reader.open(bytes, 0, bytes.limit(), 0);
            reader.verify(true);
            reader.start();
            while (reader.next()) {
                sum += reader.record().offset()
                        + reader.record().value().length()
                        + reader.record().key().getByte(0);
            }
        }
    }
}
