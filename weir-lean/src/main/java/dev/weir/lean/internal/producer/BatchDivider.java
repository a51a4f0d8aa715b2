package dev.weir.lean.internal.producer;

import dev.weir.lean.internal.batch.BatchLayout;
import dev.weir.lean.internal.batch.BatchReader;
import dev.weir.lean.internal.batch.Decompressor;
import dev.weir.lean.internal.encode.RecordBytes;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Splits batches that are too large for their broker into two. Reuses its working objects. Confined to the producer's
 * thread.
 */
final class BatchDivider implements AutoCloseable {

    private final RecordBytes record = new RecordBytes();
    private @Nullable Decompressor decompressor;
    private ByteBuffer bytes = ByteBuffer.allocateDirect(0);

    /**
     * Returns the two halves of a batch, in order, in memory on the heap. If the batch has a sequence, each half keeps
     * the sequence numbers of its records. The batch stays unchanged and can be released.
     *
     * @param whole a sent batch with at least two records
     */
    List<ProducerBatch> halves(ProducerPartition partition, ProducerBatch whole) {
        BatchReader reader = reader(partition, whole);
        int half = whole.count() / 2;
        reader.start();
        ProducerBatch first = room(reader, 0, half);
        ProducerBatch second = room(reader, half, whole.count());
        reader.start();
        copy(reader, whole, 0, first, half);
        copy(reader, whole, half, second, whole.count());
        return List.of(first, second);
    }

    private BatchReader reader(ProducerPartition partition, ProducerBatch whole) {
        if (decompressor == null) {
            // No limit is needed: this producer filled the batch within the limits of its settings.
            decompressor = new Decompressor(Integer.MAX_VALUE);
        }
        int size = whole.writer.sizeBytes();
        if (bytes.capacity() < size) {
            bytes = ByteBuffer.allocateDirect(size);
        }
        bytes.put(0, whole.writer.bytes(), 0, size);
        BatchReader reader = new BatchReader(decompressor);
        reader.of(partition.topic.name, partition.number, 0);
        reader.open(bytes, 0, size, 0);
        reader.verify(true);
        return reader;
    }

    /** Returns an empty batch that fits the records {@code from} (inclusive) to {@code to} (exclusive). */
    private ProducerBatch room(BatchReader reader, int from, int to) {
        int size = BatchLayout.HEADER_BYTES;
        long firstTimestamp = 0;
        for (int i = from; i < to; i++) {
            show(reader, i);
            long timestamp = reader.record().timestamp();
            firstTimestamp = i == from ? timestamp : firstTimestamp;
            size += record.encodedBytes(timestamp - firstTimestamp, i - from);
        }
        return new ProducerBatch(ByteBuffer.allocate(size), 0);
    }

    private void copy(BatchReader reader, ProducerBatch whole, int from, ProducerBatch part, int to) {
        part.begin(whole.begunNanos);
        for (int i = from; i < to; i++) {
            show(reader, i);
            if (!part.append(record, reader.record().timestamp(), whole.token(i))) {
                throw new IllegalStateException("no room for record " + i + " of " + whole.count());
            }
        }
        // The sequences may have restarted since the batch was sent. The halves then get new sequences.
        if (whole.hasSequence()) {
            part.sequence = (whole.sequence + from) & Integer.MAX_VALUE;
        }
        part.doubtful = whole.doubtful;
        part.wasDoubtful = whole.wasDoubtful;
    }

    private void show(BatchReader reader, int at) {
        if (!reader.next()) {
            throw new IllegalStateException("a batch ends before record " + at);
        }
        record.show(reader.record());
    }

    @Override
    public void close() {
        if (decompressor != null) {
            decompressor.close();
        }
    }
}
