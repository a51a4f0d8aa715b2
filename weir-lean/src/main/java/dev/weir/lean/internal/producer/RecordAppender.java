package dev.weir.lean.internal.producer;

import dev.weir.lean.SendException;
import dev.weir.lean.internal.batch.BatchLayout;
import dev.weir.lean.internal.encode.Murmur2Hash;
import dev.weir.lean.internal.encode.RecordBytes;
import java.util.function.LongSupplier;
import org.apache.kafka.common.errors.RecordTooLargeException;

/**
 * Appends records to their partitions' batches. Wakes the producer's thread if a batch was started or is full.
 * Thread-safe.
 */
final class RecordAppender {

    /** Stands for the partition of the record's key or, for a record without a key, the topic's sticky partition. */
    static final int ANY_PARTITION = -1;

    private final ProducerBatchPool pool;
    private final int maxRequestBytes;
    private final LongSupplier clock;
    private final Runnable wake;

    /**
     * @param clock measures how long batches wait, as {@link System#nanoTime} does
     * @param wake wakes the producer's thread; called by any thread, must not block
     */
    RecordAppender(ProducerBatchPool pool, int maxRequestBytes, LongSupplier clock, Runnable wake) {
        this.pool = pool;
        this.maxRequestBytes = maxRequestBytes;
        this.clock = clock;
        this.wake = wake;
    }

    /** Largest accepted size of a record, including its overhead. */
    long maxRecordBytes() {
        return (long) maxRequestBytes - BatchLayout.HEADER_BYTES;
    }

    /**
     * Appends a record.
     *
     * @param number an existing partition of the topic, or {@link #ANY_PARTITION}
     * @param waitNanos the longest time to wait for space
     * @return false if there was not enough space within that time
     * @throws SendException if the record is larger than {@link #maxRecordBytes}
     */
    boolean append(
            ProducerTopic topic, int number, RecordBytes record, long timestampMillis, long token, long waitNanos)
            throws InterruptedException {
        ProducerPartition[] all = topic.partitions();
        ProducerPartition partition = choose(topic, all, number, record);
        long bytes = record.maxBytes();
        if (bytes > maxRecordBytes()) {
            String why = "a record of " + bytes + " bytes is larger than maxRequestBytes=" + maxRequestBytes;
            throw new SendException(topic.name, partition.number, false, why, new RecordTooLargeException(why));
        }
        if (partition.intake.append(record, timestampMillis, token)) {
            return true;
        }
        ProducerPartition full = partition;
        if (number == ANY_PARTITION && record.key.isNull()) {
            partition = topic.nextSticky(all, full);
            if (partition.intake.append(record, timestampMillis, token)) {
                // The record went into a batch of the new sticky partition. The old partition may have no batch to
                // send.
                if (full.intake.hasSome()) {
                    wake(full, full);
                }
                return true;
            }
        }
        // Try without waiting first, because waiting fails if the thread is interrupted.
        ProducerBatch fresh = pool.take(bytes, 0);
        if (fresh == null && waitNanos > 0) {
            fresh = pool.take(bytes, waitNanos);
        }
        if (fresh == null) {
            return false;
        }
        appendTo(partition, fresh, timestampMillis, record, token);
        wake(full, partition);
        return true;
    }

    private static ProducerPartition choose(
            ProducerTopic topic, ProducerPartition[] all, int number, RecordBytes record) {
        if (number == ANY_PARTITION) {
            return record.key.isNull() ? topic.sticky(all) : all[Murmur2Hash.partition(record.key, all.length)];
        }
        return all[number];
    }

    private void appendTo(
            ProducerPartition partition, ProducerBatch fresh, long timestampMillis, RecordBytes record, long token) {
        boolean used = false;
        try {
            used = partition.intake.append(fresh, clock.getAsLong(), record, timestampMillis, token);
        } finally {
            if (!used) {
                pool.release(fresh);
            }
        }
    }

    /**
     * Wakes the producer's thread after batches were started or filled in one or two partitions. Both arguments may be
     * the same. Does nothing if the brokers of both partitions are busy.
     */
    private void wake(ProducerPartition one, ProducerPartition other) {
        if (!one.held || !other.held) {
            wake.run();
        }
    }
}
