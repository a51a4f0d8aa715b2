package dev.weir.kafka.internal.in.buffer;

import dev.weir.kafka.internal.in.fetch.Fetched;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The queue of one partition in a {@link RecordBuffer}: batches in the order of their tokens, and the last check by
 * {@link DueRecords}. Guarded by the buffer's lock, except for {@link #priority}.
 */
final class PartitionQueue {
    private final ArrayDeque<Batch<Fetched>> batches = new ArrayDeque<>(2);
    private boolean paused;
    private int records;

    /** Number of records of the first batch that are known to be due. */
    int due;

    /** Due time of the record whose token is {@link #headToken}. */
    long headDueMillis;

    /** Token of the first record that was not due at the last check; -1 if unknown. */
    long headToken = -1;

    /** Queues with a higher priority go first. */
    final int priority;

    PartitionQueue(int priority) {
        this.priority = priority;
    }

    void add(Batch<Fetched> batch) {
        batches.add(batch);
        records += batch.size();
    }

    void taken(int count) {
        records -= count;
    }

    /** Removes all batches. Nothing may be added afterwards. */
    void clear() {
        batches.clear();
        records = 0;
    }

    int records() {
        return records;
    }

    /** Returns the queued batches. Call {@link #taken} after removing one. */
    ArrayDeque<Batch<Fetched>> batches() {
        return batches;
    }

    boolean isEmpty() {
        return batches.isEmpty();
    }

    int firstSize() {
        return batches.element().size();
    }

    long firstToken() {
        return batches.element().token(0);
    }

    boolean isPaused() {
        return paused;
    }

    void pause(boolean nowPaused) {
        paused = nowPaused;
    }

    /** Returns whether the due time of the next record is known from the last check. */
    boolean isHeadKnown() {
        Batch<?> first = batches.peek();
        return first != null && first.token(0) == headToken;
    }

    @Nullable
    Fetched find(AckTarget target, long token) {
        for (Batch<Fetched> batch : batches) {
            int index = mayHave(batch, token) ? batch.find(target, token) : -1;
            if (index >= 0) {
                return batch.get(index);
            }
        }
        return null;
    }

    /**
     * Returns whether the batch may contain the token, to keep searches under the lock short. Tokens ascend within a
     * partition. If one token covers a whole batch, only the first record has it.
     */
    private static boolean mayHave(Batch<Fetched> batch, long token) {
        return batch.size() > 0
                && batch.token(0) <= token
                && (token <= batch.token(batch.size() - 1) || token == batch.token(0));
    }
}
