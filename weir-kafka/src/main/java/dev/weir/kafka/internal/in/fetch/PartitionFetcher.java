package dev.weir.kafka.internal.in.fetch;

import dev.weir.lean.LeanMetrics;
import dev.weir.lean.StartAt;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * Fetches some of the partitions. The owner thread controls a fetch thread through this interface. Commands are queued
 * and executed in order before the next fetch. Only {@link #join} waits. Confined to the owner thread.
 */
interface PartitionFetcher {

    /** Returns the index of this fetcher among all fetchers, starting at 0. */
    int number();

    /**
     * Starts to read a partition.
     *
     * @param topicId the id of the topic that the position belongs to; zero if unknown
     */
    void add(PartitionPlacement placement, StartAt start, Uuid topicId);

    /**
     * Replaces a placement with another of the same partition at a new position. Starts reading if the earlier
     * placement was given away.
     */
    void replace(PartitionPlacement earlier, PartitionPlacement placement, StartAt start);

    void remove(PartitionPlacement placement);

    /** Stops reading the partition and reports the position. Does nothing if a fault was found in the partition. */
    void giveAway(PartitionPlacement placement);

    void pausedOrResumed(PartitionPlacement placement, boolean paused);

    @Nullable
    FetchedTurn take();

    LeanMetrics metrics();

    /** Asks the thread to terminate after its current record. */
    void end();

    void join();
}
