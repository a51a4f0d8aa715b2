package dev.weir.kafka.internal.in.fetch;

import dev.weir.kafka.internal.in.lookup.BrokerContact;
import dev.weir.lean.StartAt;

/**
 * Reads the partitions of a lean fetcher: on the owner thread itself, or on threads below it. Confined to the owner
 * thread, but for {@link #wakeup}.
 */
interface LeanReader extends AutoCloseable {

    /** Begins to read a partition there, or goes on there; nothing that was read of it before is added any more. */
    void place(LeanPartition partition, StartAt start);

    /** Reads a partition no longer, and adds nothing of it any more; does nothing if it is not placed. */
    void remove(LeanPartition partition);

    boolean isPlaced(LeanPartition partition);

    /** Follows {@code partition.paused}, if it is placed. */
    void pausedOrResumed(LeanPartition partition);

    /**
     * Adds to the partitions what is there of them, and the faults that were found; returns how much that was.
     *
     * @throws dev.weir.lean.LeanException if no partition can be read any more
     * @throws RuntimeException what the maker of records has thrown
     */
    int turn();

    /** Waits until the next turn has something to do, a wake-up comes, or for so long. */
    void await(long nanos);

    /** Ends the wait that is under way or comes next. Any thread. */
    void wakeup();

    /** Position past what was added of a placed partition; {@code RecordFetcher.UNKNOWN} if it is not known. */
    long position(LeanPartition partition);

    /** The leader epoch before that position, or {@code RecordFetcher.UNKNOWN}. */
    int leaderEpoch(LeanPartition partition);

    /** The end of the readable records of a placed partition, or {@code RecordFetcher.UNKNOWN}. */
    long endOffset(LeanPartition partition);

    /** The time for which brokers throttled the fetches so far. */
    long throttledMillis();

    /** With what has come from brokers by its connections. */
    BrokerContact contact(BrokerContact others);

    /** Ends all that it has. */
    @Override
    void close();
}
