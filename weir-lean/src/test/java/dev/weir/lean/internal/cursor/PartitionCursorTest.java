package dev.weir.lean.internal.cursor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.lean.CorruptBatchException;
import dev.weir.lean.internal.batch.BatchLayout;
import dev.weir.lean.internal.batch.BatchReader;
import dev.weir.lean.internal.batch.Batches;
import dev.weir.lean.internal.batch.Decompressor;
import dev.weir.lean.internal.net.ReceiveBuffer;
import dev.weir.lean.internal.net.ReceiveBuffers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.Test;

class PartitionCursorTest {

    private static final List<SimpleRecord> ONE = List.of(new SimpleRecord("x".getBytes(StandardCharsets.US_ASCII)));

    private final BatchReader reader = new BatchReader(new Decompressor(1024 * 1024));
    private final ChunkPool pool = new ChunkPool(0);
    private final CountingTally tally = new CountingTally();

    private static final class CountingTally implements PartitionCursor.Tally {

        private int records;
        private int bytes;
        private int leftOut;

        @Override
        public void delivered(int moreRecords, int moreBytes) {
            records += moreRecords;
            bytes += moreBytes;
        }

        @Override
        public void leftOut() {
            leftOut++;
        }
    }

    private static ByteBuffer transactional(long offset) {
        return Batches.batch(CompressionType.NONE, TimestampType.CREATE_TIME, offset, true, ONE);
    }

    private static ByteBuffer plain(long offset) {
        return Batches.batch(CompressionType.NONE, offset, ONE);
    }

    /**
     * Returns a log with an aborted transaction from offset 0 and a committed transaction from offset 4. Each contains
     * another producer's record.
     */
    private static ByteBuffer log() {
        return Batches.joined(
                transactional(0),
                plain(1),
                transactional(2),
                Batches.marker(3, false),
                transactional(4),
                plain(5),
                Batches.marker(6, true));
    }

    private PartitionCursor cursor(boolean committedOnly, ByteBuffer log, long... firstAborted) {
        PartitionCursor cursor = new PartitionCursor("t", 3, 0, committedOnly, true, pool);
        ReceiveBuffer received = ReceiveBuffers.empty();
        received.bytes().put(0, log, 0, log.limit());
        ResponseChunk chunk = pool.take();
        chunk.wrap(received, 0, log.limit());
        chunk.aborted().clear();
        for (long first : firstAborted) {
            chunk.aborted().add(Batches.PRODUCER, first);
        }
        cursor.moveTo(0, -1);
        cursor.add(chunk);
        return cursor;
    }

    private List<Long> read(PartitionCursor cursor) {
        List<Long> offsets = new ArrayList<>();
        int delivered = cursor.deliver(reader, record -> offsets.add(record.offset()), null, Integer.MAX_VALUE, tally);
        assertThat(delivered).isEqualTo(offsets.size());
        return offsets;
    }

    private List<Long> readBatches(PartitionCursor cursor) {
        List<Long> ends = new ArrayList<>();
        int delivered =
                cursor.deliver(reader, null, batch -> ends.add(batch.nextOffset() - 1), Integer.MAX_VALUE, tally);
        assertThat(delivered).isEqualTo(ends.size());
        return ends;
    }

    @Test
    void readerOfCommittedRecords_seesNeitherAbortedOnesNorMarkers() {
        PartitionCursor cursor = cursor(true, log(), 0);
        assertThat(read(cursor)).containsExactly(1L, 4L, 5L);
        assertThat(cursor.position()).as("behind the last marker").isEqualTo(7);
        assertThat(tally.records).isEqualTo(3);
        assertThat(tally.leftOut).isEqualTo(4);
        assertThat(tally.bytes).isEqualTo(log().limit());
    }

    @Test
    void readerOfCommittedRecords_withoutAbortedOnes_seesNoMarker() {
        assertThat(read(cursor(true, log()))).containsExactly(0L, 1L, 2L, 4L, 5L);
        assertThat(tally.leftOut).isEqualTo(2);
    }

    @Test
    void readerOfAllRecords_seesAbortedOnes_andNoMarker() {
        assertThat(read(cursor(false, log(), 0))).containsExactly(0L, 1L, 2L, 4L, 5L);
        assertThat(tally.leftOut).isEqualTo(2);
    }

    @Test
    void readerOfBatches_seesNeitherAbortedOnesNorMarkers() {
        assertThat(readBatches(cursor(true, log(), 0))).containsExactly(1L, 4L, 5L);
        assertThat(readBatches(cursor(false, log(), 0))).containsExactly(0L, 1L, 2L, 4L, 5L);
    }

    /** The producer wrote this batch before its aborted transaction. */
    @Test
    void batchOutsideTransactions_ofAProducerWithAnAbortedOne_isSeen() {
        ByteBuffer idempotent = plain(1);
        // As an idempotent producer does. The checksum is not verified.
        idempotent.putLong(43, Batches.PRODUCER);
        ByteBuffer log = Batches.joined(transactional(0), idempotent, Batches.marker(2, false));
        PartitionCursor cursor = new PartitionCursor("t", 3, 0, true, false, pool);
        ReceiveBuffer received = ReceiveBuffers.empty();
        received.bytes().put(0, log, 0, log.limit());
        ResponseChunk chunk = pool.take();
        chunk.wrap(received, 0, log.limit());
        chunk.aborted().add(Batches.PRODUCER, 0);
        cursor.moveTo(0, -1);
        cursor.add(chunk);
        assertThat(read(cursor)).containsExactly(1L);
    }

    /** Regression: after the batch was skipped, the next record was missing. */
    @Test
    void batchWithBytesBehindItsLastRecord_isAtFaultBeforeThatRecord() {
        ByteBuffer padded = Batches.joined(plain(0), ByteBuffer.allocate(1));
        padded.putInt(8, padded.getInt(8) + 1);
        BatchLayout.putChecksum(padded, padded.limit(), new CRC32C());
        PartitionCursor cursor = cursor(false, Batches.joined(padded, plain(1)));
        assertThatExceptionOfType(CorruptBatchException.class)
                .isThrownBy(() -> read(cursor))
                .satisfies(fault -> assertThat(fault.offset()).isZero());
        assertThat(cursor.position()).isZero();
        assertThat(cursor.offsetBehindBatch(2)).isEqualTo(1);
    }
}
