package dev.weir.kafka.internal.in.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.utils.internals.BufferSupplier;
import org.apache.kafka.common.utils.internals.CloseableIterator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests the limit on the memory for the records of one poll. Regression: a poll of records with large headers exhausted
 * the heap, and their batch was reported as unreadable.
 */
class PollBudgetTest {

    private static final int RECORDS = 100;
    private static final int HEADER_BYTES = 10_000;
    private static final int BUDGET_BYTES = 105_000;

    private static MemoryRecords batch(
            Compression compression, byte @Nullable [] key, byte[] value, Header... headers) {
        MemoryRecordsBuilder batch = MemoryRecords.builder(
                ByteBuffer.allocate(2 * RECORDS * HEADER_BYTES), compression, TimestampType.CREATE_TIME, 0);
        for (int n = 0; n < RECORDS; n++) {
            batch.append(n, key, value, headers);
        }
        return batch.build();
    }

    /** Returns the number of records copied before the budget is used up. */
    private static long copied(MemoryRecords records) {
        PollBudget budget = new PollBudget(BUDGET_BYTES, BUDGET_BYTES);
        PollBudget.Bytes bytes = new PollBudget.Bytes();
        bytes.configure(Map.of(PollBudget.CONFIG, budget), false);
        budget.begin();
        long copied = 0;
        for (RecordBatch batch : records.batches()) {
            try (CloseableIterator<Record> all = batch.streamingIterator(BufferSupplier.create())) {
                while (all.hasNext()) {
                    Record record = all.next();
                    RecordHeaders headers = new RecordHeaders(record.headers());
                    boolean isLeftOut = false;
                    for (ByteBuffer part : Arrays.asList(record.key(), record.value())) {
                        isLeftOut |= part != null && bytes.deserialize("t", headers, part) == PollBudget.LEFT_OUT;
                    }
                    copied += isLeftOut ? 0 : 1;
                }
            }
        }
        return copied;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void headersOfACompressedBatch_countInTheBudget(boolean hasKey) {
        MemoryRecords records = batch(
                Compression.gzip().build(),
                hasKey ? new byte[1] : null,
                new byte[1],
                new RecordHeader("h", new byte[HEADER_BYTES]));
        assertThat(copied(records)).isEqualTo(BUDGET_BYTES / HEADER_BYTES + 1);
    }

    /** The client keeps the uncompressed response in memory anyway. */
    @Test
    void headersOfAnUncompressedBatch_doNotCount() {
        MemoryRecords records =
                batch(Compression.NONE, new byte[1], new byte[1], new RecordHeader("h", new byte[HEADER_BYTES]));
        assertThat(copied(records)).isEqualTo(RECORDS);
    }

    @Test
    void recordsWithoutHeaders_countWithTheirKeysAndValues() {
        MemoryRecords records = batch(Compression.gzip().build(), new byte[5_000], new byte[5_000]);
        assertThat(copied(records)).isEqualTo(BUDGET_BYTES / 10_000 + 1);
    }
}
