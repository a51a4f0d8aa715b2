package dev.weir.kafka.internal.in.fetch;

import dev.weir.lean.LeanMetrics;
import dev.weir.lean.StartAt;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * Fetches some partitions beside others, as its owner thread sees it. None of the orders waits: each is obeyed after
 * those before it, and before what is fetched next. Confined to the owner thread.
 */
interface PartitionFetcher {

    /** Its number among all, from 0 on. */
    int number();

    /** Reads a partition from there on, which is in the topic of that id if one is known. */
    void add(PartitionPlacement placement, StartAt start, Uuid topicId);

    /** Continues elsewhere in a partition by another placement; begins there if the earlier one was given away. */
    void replace(PartitionPlacement earlier, PartitionPlacement placement, StartAt start);

    void remove(PartitionPlacement placement);

    /** Tells where it is behind what was read of it, and reads it no longer; not if a fault was found there. */
    void giveAway(PartitionPlacement placement);

    void pausedOrResumed(PartitionPlacement placement, boolean paused);

    /** The next turn, or null. */
    @Nullable
    FetchedTurn take();

    LeanMetrics metrics();

    /** Asks it to end after the record that it is at. */
    void end();

    /** Waits until it has ended. */
    void join();
}
