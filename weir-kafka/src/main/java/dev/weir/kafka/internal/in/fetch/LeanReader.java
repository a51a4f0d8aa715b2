package dev.weir.kafka.internal.in.fetch;

import dev.weir.kafka.internal.in.lookup.BrokerContact;
import dev.weir.lean.StartAt;

/**
 * Reads the partitions of a lean fetcher, on the owner thread itself or on separate threads. Confined to the owner
 * thread, except for {@link #wakeup}.
 */
interface LeanReader extends AutoCloseable {

    /** Starts or continues reading a partition at that position; records read earlier are no longer added. */
    void place(LeanPartition partition, StartAt start);

    /** Stops reading a partition and adds nothing more; does nothing if it is not placed. */
    void remove(LeanPartition partition);

    boolean isPlaced(LeanPartition partition);

    /** Applies {@code partition.paused} if the partition is placed. */
    void pausedOrResumed(LeanPartition partition);

    /**
     * Adds available records and faults to the partitions; returns how much was added.
     *
     * @throws dev.weir.lean.LeanException if no partition can be read any longer
     * @throws RuntimeException from the record maker
     */
    int turn();

    /** Waits until the next turn has something to do, a wake-up comes, or the time is up. */
    void await(long nanos);

    /** Ends the current or the next wait. Any thread. */
    void wakeup();

    /** The position after the records added of a placed partition; {@code RecordFetcher.UNKNOWN} if not known. */
    long position(LeanPartition partition);

    /** The leader epoch before that position, or {@code RecordFetcher.UNKNOWN}. */
    int leaderEpoch(LeanPartition partition);

    /** The end of the readable records of a placed partition, or {@code RecordFetcher.UNKNOWN}. */
    long endOffset(LeanPartition partition);

    /** The time for which brokers throttled the fetches so far. */
    long throttledMillis();

    /** Adds the broker contacts of its connections. */
    BrokerContact contact(BrokerContact others);

    /** Closes its consumers and threads. */
    @Override
    void close();
}
