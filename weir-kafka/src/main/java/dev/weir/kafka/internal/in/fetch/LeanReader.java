package dev.weir.kafka.internal.in.fetch;

import dev.weir.kafka.internal.in.lookup.BrokerContact;
import dev.weir.lean.StartAt;

/**
 * Reads the partitions of a lean fetcher, on the owner thread or on separate threads. Confined to the owner thread,
 * except for {@link #wakeup}.
 */
interface LeanReader extends AutoCloseable {

    /** Starts or continues reading a partition at the given position. */
    void place(LeanPartition partition, StartAt start);

    /** Stops reading a partition. Does nothing if the partition is not being read. */
    void remove(LeanPartition partition);

    boolean isPlaced(LeanPartition partition);

    /** Applies {@code partition.paused}. Does nothing if the partition is not being read. */
    void pausedOrResumed(LeanPartition partition);

    /**
     * Adds available records and faults to the partitions. Returns 0 if there were none.
     *
     * @throws dev.weir.lean.LeanException if no partition can be read any longer
     * @throws RuntimeException if the record maker threw it
     */
    int turn();

    /** Waits for records, for a {@link #wakeup}, or until {@code nanos} have passed. */
    void await(long nanos);

    /** Ends the current or next wait. May be called from any thread. */
    void wakeup();

    /** Returns the position after the records added to the partition, or {@code RecordFetcher.UNKNOWN}. */
    long position(LeanPartition partition);

    /** Returns the leader epoch of the record before {@link #position}, or {@code RecordFetcher.UNKNOWN}. */
    int leaderEpoch(LeanPartition partition);

    /** Returns the offset after the partition's last readable record, or {@code RecordFetcher.UNKNOWN}. */
    long endOffset(LeanPartition partition);

    long throttledMillis();

    /** Adds the responses and lost connections of this reader's connections to {@code others}. */
    BrokerContact contact(BrokerContact others);

    @Override
    void close();
}
