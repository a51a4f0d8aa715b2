package dev.weir.lean.internal.producer;

import dev.weir.lean.internal.batch.BatchReader;
import dev.weir.lean.internal.batch.Decompressor;
import dev.weir.lean.internal.encode.RecordBytes;
import java.nio.ByteBuffer;
import java.util.List;

/** Makes two batches of one that its broker finds too large. Stateless. */
final class Divider {

    private Divider() {}

    /**
     * The halves, in order, in the heap and not of the pool. They share the sequences of the whole, which can be
     * released then.
     *
     * @param whole was sent, and has at least two records
     */
    static List<Batch> halves(Partition partition, Batch whole) {
        int size = whole.writer.sizeBytes();
        ByteBuffer bytes = ByteBuffer.allocateDirect(size).put(0, whole.writer.bytes(), 0, size);
        int half = whole.count() / 2;
        try (Decompressor decompressor = new Decompressor(whole.writer.bytes().capacity())) {
            BatchReader reader = new BatchReader(decompressor);
            reader.of(partition.topic.name, partition.number, 0);
            reader.open(bytes, 0, size, 0);
            reader.verify(true);
            reader.start();
            Batch first = copy(reader, whole, 0, half);
            return List.of(first, copy(reader, whole, half, whole.count()));
        }
    }

    private static Batch copy(BatchReader reader, Batch whole, int from, int to) {
        // Times are written as differences to the first one, which is another one now.
        int room = whole.writer.bytes().capacity() + (to - from) * Long.SIZE / Byte.SIZE;
        Batch part = new Batch(ByteBuffer.allocate(room), 0);
        part.begin(whole.begunNanos);
        RecordBytes record = new RecordBytes();
        for (int i = from; i < to; i++) {
            if (!reader.next()) {
                throw new IllegalStateException("a batch of " + whole.count() + " records ends after " + i);
            }
            record.show(reader.record());
            if (!part.append(record, reader.record().timestamp(), whole.token(i))) {
                throw new IllegalStateException("no room for record " + i + " in " + room + " bytes");
            }
        }
        part.sequence = (whole.sequence + from) & Integer.MAX_VALUE;
        part.doubtful = whole.doubtful;
        return part;
    }
}
