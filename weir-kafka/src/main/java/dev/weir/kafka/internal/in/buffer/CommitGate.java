package dev.weir.kafka.internal.in.buffer;

import dev.weir.stream.spi.Batch;
import java.util.Collection;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Holds batches until a commit past them is confirmed. Confined to the owner thread. */
public interface CommitGate {

    /** Records per batch at most, so that a batch can be committed at all. */
    int batchSize();

    /** Lets the batch out once {@code nextOffset} is committed. */
    void add(AssignedPartition partition, Batch<ConsumerRecord<byte[], byte[]>> batch, long nextOffset);

    /**
     * Notes where a partition goes on that has nothing here; what is added of it later goes out
     * after that is committed.
     */
    void place(AssignedPartition partition, long offset);

    /** Notes how far a partition is read; what was added of it before goes out before that is committed. */
    void readTo(AssignedPartition partition, long offset);

    /** Drops what waits of the partitions, and says so to their trackers. */
    void drop(Collection<AssignedPartition> partitions);

    /** Returns whether there is anything that no commit covers yet. */
    boolean isWaiting();
}
