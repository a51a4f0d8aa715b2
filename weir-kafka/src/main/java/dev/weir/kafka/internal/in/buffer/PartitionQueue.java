package dev.weir.kafka.internal.in.buffer;

import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import java.util.ArrayDeque;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * The queue of one partition in a {@link RecordBuffer}: batches with consecutive tokens, and what a {@link DueRecords}
 * knows of the first ones. Under the lock of the buffer, but for {@link #priority}.
 */
final class PartitionQueue {
    private final ArrayDeque<Batch<ConsumerRecord<byte[], byte[]>>> batches = new ArrayDeque<>(2);
    private boolean paused;
    private int records;

    /** The number of records of the first batch are known to be due. */
    int due;

    /** The time when the record with {@link #headToken} is due. */
    long headDueMillis;

    /** The token of the first record that was not due when a delay looked last. */
    long headToken = -1;

    /** The priority: queues with a greater number go first. */
    final int priority;

    PartitionQueue(int priority) {
        this.priority = priority;
    }

    void add(Batch<ConsumerRecord<byte[], byte[]>> batch) {
        batches.add(batch);
        records += batch.size();
    }

    /** Notes that records were taken out of {@link #batches}. */
    void taken(int count) {
        records -= count;
    }

    /** Drops all that waits. */
    void clear() {
        batches.clear();
        records = 0;
        due = 0;
        headToken = -1;
    }

    int records() {
        return records;
    }

    /** The queued batches; whoever takes one calls {@link #taken}. */
    ArrayDeque<Batch<ConsumerRecord<byte[], byte[]>>> batches() {
        return batches;
    }

    boolean isEmpty() {
        return batches.isEmpty();
    }

    /** The size of the batch that comes next; there is one. */
    int firstSize() {
        return batches.element().size();
    }

    /** The token of the record that comes next; there is one. */
    long firstToken() {
        return batches.element().token(0);
    }

    boolean isPaused() {
        return paused;
    }

    void pause(boolean nowPaused) {
        paused = nowPaused;
    }

    /** Returns whether a delay has looked at what comes next. */
    boolean isHeadKnown() {
        Batch<?> first = batches.peek();
        return first != null && first.token(0) == headToken;
    }

    /** The record with that token, if it waits here. */
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
     * Tokens rise within a partition: few of the batches that wait have to be searched, with the pipeline locked out.
     * Of those without tokens but for the first record, that one may be meant.
     */
    private static boolean mayHave(Batch<ConsumerRecord<byte[], byte[]>> batch, long token) {
        return batch.size() > 0
                && batch.token(0) <= token
                && (token <= batch.token(batch.size() - 1) || token == batch.token(0));
    }
}
