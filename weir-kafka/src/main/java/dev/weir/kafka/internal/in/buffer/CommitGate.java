package dev.weir.kafka.internal.in.buffer;

import dev.weir.stream.spi.Batch;
import java.util.Collection;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Holds batches until a commit past them is confirmed. Confined to the owner thread. */
public interface CommitGate {

    /** Largest number of records per batch, so that a batch always fits into one commit. */
    int batchSize();

    /** Releases the batch once {@code nextOffset} is committed. */
    void add(AssignedPartition partition, Batch<ConsumerRecord<byte[], byte[]>> batch, long nextOffset);

    /**
     * Sets the position of a partition without batches here. Batches added later are released after it is committed.
     */
    void place(AssignedPartition partition, long offset);

    /** Notes how far a partition was read. Batches added earlier are released before that is committed. */
    void readTo(AssignedPartition partition, long offset);

    /** Drops the waiting batches of the partitions, and reports that to their trackers. */
    void drop(Collection<AssignedPartition> partitions);

    /** Returns whether anything waits for a commit. */
    boolean isWaiting();
}
