package dev.weir.kafka.internal.in.fetch;

import org.jspecify.annotations.Nullable;

/**
 * The assignment of a partition to a fetch thread, from one start position on. A seek or a move to another thread
 * creates a new placement, so that results for the earlier one are recognised and dropped. Confined to the owner
 * thread; fetch threads use only its identity and final fields.
 */
final class PartitionPlacement {

    final LeanPartition partition;
    final PartitionFetcher fetcher;

    /** The position after the records added so far, as the thread reported it; the start position before that. */
    long position;

    int leaderEpoch;
    long endOffset;

    /** The broker that the partition is fetched from; -1 while unknown. */
    int broker = -1;

    /**
     * The thread that will read the partition next, while the current thread has been asked to give it away; null
     * otherwise.
     */
    @Nullable
    PartitionFetcher next;

    /**
     * True if the thread has been instructed to pause the partition. Stays true after a resume until records waiting at
     * the owner have been handed out.
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
