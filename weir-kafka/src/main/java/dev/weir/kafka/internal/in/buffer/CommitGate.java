package dev.weir.kafka.internal.in.buffer;

import dev.weir.stream.spi.Batch;
import java.util.Collection;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Holds batches until a commit that covers them is confirmed. Confined to the owner thread. */
public interface CommitGate {

    /** Returns the maximum number of records per batch, so that one commit can always cover a batch. */
    int batchSize();

    /** Adds a batch, which is released once {@code nextOffset} is committed. */
    void add(AssignedPartition partition, Batch<ConsumerRecord<byte[], byte[]>> batch, long nextOffset);

    /**
     * Sets the position of a partition that has no batches here. Batches added later are released after the position is
     * committed.
     */
    void place(AssignedPartition partition, long offset);

    /** Sets how far a partition was read. Batches added earlier are released before this offset is committed. */
    void readTo(AssignedPartition partition, long offset);

    /** Drops the partitions' waiting batches and reports that to their trackers. */
    void drop(Collection<AssignedPartition> partitions);

    /** Returns whether any batch or position waits for a commit. */
    boolean isWaiting();
}
