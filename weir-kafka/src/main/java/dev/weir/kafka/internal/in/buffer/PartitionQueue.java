package dev.weir.kafka.internal.in.buffer;

import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import java.util.ArrayDeque;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * The queue of one partition in a {@link RecordBuffer}: batches with consecutive tokens, and the state of
 * {@link DueRecords} for the first records. Guarded by the buffer's lock, except for {@link #priority}.
 */
final class PartitionQueue {
    private final ArrayDeque<Batch<ConsumerRecord<byte[], byte[]>>> batches = new ArrayDeque<>(2);
    private boolean paused;
    private int records;

    /** The number of records of the first batch that are known to be due. */
    int due;

    /** The time when the record with {@link #headToken} is due. */
    long headDueMillis;

    /** The token of the first record that was not due at the last scan. */
    long headToken = -1;

    /** The priority: queues with a higher number go first. */
    final int priority;

    PartitionQueue(int priority) {
        this.priority = priority;
    }

    void add(Batch<ConsumerRecord<byte[], byte[]>> batch) {
        batches.add(batch);
        records += batch.size();
    }

    /** Reports that records were taken out of {@link #batches}. */
    void taken(int count) {
        records -= count;
    }

    /** Drops all waiting records. */
    void clear() {
        batches.clear();
        records = 0;
        due = 0;
        headToken = -1;
    }

    int records() {
        return records;
    }

    /** The queued batches. Call {@link #taken} after removing one. */
    ArrayDeque<Batch<ConsumerRecord<byte[], byte[]>>> batches() {
        return batches;
    }

    boolean isEmpty() {
        return batches.isEmpty();
    }

    /** The size of the next batch; there must be one. */
    int firstSize() {
        return batches.element().size();
    }

    /** The token of the next record; there must be one. */
    long firstToken() {
        return batches.element().token(0);
    }

    boolean isPaused() {
        return paused;
    }

    void pause(boolean nowPaused) {
        paused = nowPaused;
    }

    /** Returns whether the next record was scanned for its due time. */
    boolean isHeadKnown() {
        Batch<?> first = batches.peek();
        return first != null && first.token(0) == headToken;
    }

    /** The waiting record with that token, or null. */
    @Nullable
    ConsumerRecord<byte[], byte[]> find(AckTarget target, long token) {
        for (Batch<ConsumerRecord<byte[], byte[]>> batch : batches) {
            int index = mayHave(batch, token) ? batch.find(target, token) : -1;
            if (index >= 0) {
                return batch.get(index);
            }
        }
        return null;
    }

    /**
     * Tokens rise within a partition, so few batches have to be searched while the pipeline is locked out. In a batch
     * with one token for all records, that token means the first one.
     */
    private static boolean mayHave(Batch<ConsumerRecord<byte[], byte[]>> batch, long token) {
        return batch.size() > 0
                && batch.token(0) <= token
                && (token <= batch.token(batch.size() - 1) || token == batch.token(0));
    }
}
