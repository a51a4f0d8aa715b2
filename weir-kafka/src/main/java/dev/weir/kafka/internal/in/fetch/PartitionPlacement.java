package dev.weir.kafka.internal.in.fetch;

import org.jspecify.annotations.Nullable;

/**
 * The assignment of a partition to a fetch thread, from one start position. A seek or a move to another thread creates
 * a new placement, and results for the old one are dropped. Confined to the owner thread; fetch threads use only its
 * identity and final fields.
 */
final class PartitionPlacement {

    final LeanPartition partition;
    final PartitionFetcher fetcher;

    /** The position after the records added so far, or the start position. */
    long position;

    int leaderEpoch;
    long endOffset;

    /** The broker that the partition is fetched from; -1 while unknown. */
    int broker = -1;

    /** The thread that reads the partition next; null unless the current thread is giving it away. */
    @Nullable
    PartitionFetcher next;

    /**
     * True if the last command to the fetch thread paused the partition. The command to resume is sent only after the
     * partition's waiting records are handed out.
     */
    boolean paused;

    PartitionPlacement(
            LeanPartition partition, PartitionFetcher fetcher, long position, int leaderEpoch, long endOffset) {
        this.partition = partition;
        this.fetcher = fetcher;
        this.position = position;
        this.leaderEpoch = leaderEpoch;
        this.endOffset = endOffset;
    }
}
