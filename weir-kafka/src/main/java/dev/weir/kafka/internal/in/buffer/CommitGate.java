package dev.weir.kafka.internal.in.buffer;

import dev.weir.kafka.internal.in.fetch.Fetched;
import dev.weir.stream.spi.Batch;
import java.util.Collection;

/** Holds batches until a commit that covers them is confirmed. Confined to the owner thread. */
public interface CommitGate {

    /** Returns the maximum number of records per batch. One commit must be able to cover a batch. */
    int batchSize();

    /** Adds a batch, which is emitted once {@code nextOffset} is committed. */
    void add(AssignedPartition partition, Batch<Fetched> batch, long nextOffset);

    /** Adds a position, which is committed before batches added later. The partition must not have waiting batches. */
    void place(AssignedPartition partition, long offset);

    /** Adds an offset, which is committed after batches added earlier. */
    void readTo(AssignedPartition partition, long offset);

    /** Drops the waiting batches of the partitions and removes their records from the trackers. */
    void drop(Collection<AssignedPartition> partitions);

    /** Returns whether batches or positions are waiting to be committed. */
    boolean isWaiting();
}
