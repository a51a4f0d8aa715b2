package dev.weir.kafka.internal.in.fetch;

import dev.weir.lean.LeanMetrics;
import dev.weir.lean.StartAt;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * Fetches some of the partitions; the owner thread's view of a fetch thread. No order waits: each is executed after
 * earlier orders, and before the next fetch. Confined to the owner thread.
 */
interface PartitionFetcher {

    /** Its index among all fetchers, starting at 0. */
    int number();

    /** Reads a partition from that offset on, in the topic of that id if it is known. */
    void add(PartitionPlacement placement, StartAt start, Uuid topicId);

    /**
     * Continues elsewhere in a partition by another placement; starts reading it if the earlier placement was given
     * away.
     */
    void replace(PartitionPlacement earlier, PartitionPlacement placement, StartAt start);

    void remove(PartitionPlacement placement);

    /** Reports the position after the records read and stops reading the partition, unless a fault was found there. */
    void giveAway(PartitionPlacement placement);

    void pausedOrResumed(PartitionPlacement placement, boolean paused);

    /** The next turn, or null. */
    @Nullable
    FetchedTurn take();

    LeanMetrics metrics();

    /** Asks the thread to end after its current record. */
    void end();

    /** Waits until the thread has ended. */
    void join();
}
