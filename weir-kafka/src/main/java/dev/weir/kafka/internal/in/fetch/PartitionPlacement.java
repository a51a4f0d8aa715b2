package dev.weir.kafka.internal.in.fetch;

import org.jspecify.annotations.Nullable;

/**
 * A partition assigned to a fetch thread, starting at one position. A seek, or another thread, makes another placement,
 * so results of an earlier one are recognised and dropped. Confined to the owner thread; fetch threads use only its
 * identity and final fields.
 */
final class PartitionPlacement {

    final LeanPartition partition;
    final PartitionFetcher fetcher;

    /** The position after its added records, as the thread reported it or as it was placed. */
    long position;

    int leaderEpoch;
    long endOffset;

    /** Broker to ask; -1 while unknown. */
    int broker = -1;

    /** The thread that gets the partition next, while this one is asked to give it away. */
    @Nullable
    PartitionFetcher next;

    /**
     * True if the thread received the order to pause the partition; also while records waiting at the owner must be
     * handed out first.
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
