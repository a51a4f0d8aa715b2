package dev.weir.kafka.internal.in.fetch;

import org.jspecify.annotations.Nullable;

/**
 * A partition in the hands of a fetch thread, from one place in it on: another seek, or another thread, is another
 * placement, so what an earlier one has still under way is known by that and dropped. Confined to the owner thread;
 * fetch threads know it by its identity, and read what is final.
 */
final class PartitionPlacement {

    final LeanPartition partition;
    final PartitionFetcher lane;

    /** Position past what was added of it, as the thread reported it or as it was placed. */
    long position;

    int leaderEpoch;
    long endOffset;

    /** The broker that is asked; -1 while that is not known. */
    int broker = -1;

    /** The thread that is to have it next, while this one is asked to give it away. */
    @Nullable
    PartitionFetcher next;

    /** True if its thread was told to pause it; also while records that wait in the owner are to be out first. */
    boolean paused;

    PartitionPlacement(LeanPartition partition, PartitionFetcher lane, long position, int leaderEpoch, long endOffset) {
        this.partition = partition;
        this.lane = lane;
        this.position = position;
        this.leaderEpoch = leaderEpoch;
        this.endOffset = endOffset;
    }
}
