package dev.weir.kafka.internal.in.fetch;

import org.jspecify.annotations.Nullable;

/**
 * The assignment of a partition to a fetch thread, beginning at one start position. A seek or a move to another thread
 * creates a new placement, so that results for the earlier one are recognized and dropped. Confined to the owner
 * thread; fetch threads use only its identity and final fields.
 */
final class PartitionPlacement {

    final LeanPartition partition;
    final PartitionFetcher fetcher;

    /** The position after the records added so far, as reported by the fetch thread; initially the start position. */
    long position;

    int leaderEpoch;
    long endOffset;

    /** The broker that the partition is fetched from; -1 while unknown. */
    int broker = -1;

    /**
     * The thread that will read the partition next. Set while the current thread is giving the partition away;
     * otherwise null.
     */
    @Nullable
    PartitionFetcher next;

    /**
     * True if the last command to the fetch thread paused the partition. A resume does not reset this flag immediately,
     * because the fetch thread is notified only after the partition's waiting records have been handed out.
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
