package dev.weir.kafka.internal.in.fetch;

import dev.weir.lean.LeanMetrics;
import dev.weir.lean.StartAt;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * Fetches some of the partitions; the owner thread's view of a fetch thread. The methods queue commands and do not
 * wait, except for {@link #join}. Each command is executed after earlier ones and before the next fetch. Confined to
 * the owner thread.
 */
interface PartitionFetcher {

    /** Returns the index of this fetcher among all fetchers, starting at 0. */
    int number();

    /**
     * Starts to read a partition at the given position.
     *
     * @param topicId the id of the topic that the position belongs to; zero if it is unknown
     */
    void add(PartitionPlacement placement, StartAt start, Uuid topicId);

    /**
     * Continues with another placement of the same partition, at another position. Starts to read the partition if the
     * earlier placement was given away.
     */
    void replace(PartitionPlacement earlier, PartitionPlacement placement, StartAt start);

    void remove(PartitionPlacement placement);

    /**
     * Stops reading the partition and reports the position after the records read. Does nothing if a fault was found in
     * the partition.
     */
    void giveAway(PartitionPlacement placement);

    void pausedOrResumed(PartitionPlacement placement, boolean paused);

    /** Returns the next turn; null if none is ready. */
    @Nullable
    FetchedTurn take();

    LeanMetrics metrics();

    /** Requests the thread to terminate after its current record. */
    void end();

    /** Waits until the thread has terminated. */
    void join();
}
