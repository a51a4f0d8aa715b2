package dev.weir.kafka.internal.in.fetch;

import dev.weir.kafka.internal.in.lookup.BrokerContact;
import dev.weir.kafka.internal.meters.DecodeTime;
import java.util.Collection;
import org.apache.kafka.common.TopicPartition;

/**
 * Fetches the records of the assigned partitions. In every implementation, Kafka's client handles membership and
 * commits. Confined to the owner thread, except for {@link #wakeup} and {@link #decodeTime}.
 *
 * <p>{@link #pause}, {@link #resume}, {@link #hold} and {@link #seek} may be called only for assigned partitions.
 */
public interface RecordFetcher extends AutoCloseable {

    /** An unknown position, lag or epoch. */
    int UNKNOWN = -1;

    /**
     * Returns the available records, or waits for records. The result is valid until the next call. Also serves the
     * group (rebalance callbacks, responses to commits), so it must be called even if no records are wanted.
     *
     * @throws org.apache.kafka.common.errors.WakeupException after a {@link #wakeup}
     * @throws org.apache.kafka.common.errors.RetriableException if another attempt may succeed
     */
    FetchResult poll(long nanos);

    /**
     * Returns whether {@link #fetchOnly} may be called now. Always false if the group member itself fetches the
     * records.
     */
    default boolean canFetchOnly() {
        return false;
    }

    /**
     * Returns the available records, or waits for records, without serving the group. Used in a rebalance callback to
     * read the partitions that the member keeps. The next poll reports faults. Call only if {@link #canFetchOnly}
     * returns true.
     */
    default FetchResult fetchOnly(long nanos) {
        throw new UnsupportedOperationException("records arrive through the member's client");
    }

    /**
     * Sets whether the client waits for a response. It is then polled more often, because it processes responses only
     * within a poll.
     */
    default void awaitAnswer(boolean awaited) {}

    /** Returns whether this fetcher fetches by topic id. A poll then fails soon after a topic is recreated. */
    default boolean fetchesByTopicId() {
        return false;
    }

    /** Ends the current or next poll. May be called from any thread. */
    void wakeup();

    /**
     * Reports newly assigned partitions. The caller must pause, hold or seek each of them before the next poll returns
     * records.
     */
    void assigned(Collection<TopicPartition> ids);

    /** Reports revoked partitions. Later polls return no records of these partitions. Called within a poll. */
    void withdrawn(Collection<TopicPartition> ids);

    /** Pauses partitions and keeps the records already fetched. */
    void pause(Collection<TopicPartition> ids);

    void resume(Collection<TopicPartition> ids);

    /** Discards the position of a paused partition, until {@link #seek} is called. */
    void hold(TopicPartition id);

    /**
     * Sets the next position and drops records fetched ahead. Verifies a position that has a leader epoch: a poll
     * throws the client's {@code OffsetOutOfRangeException} if the position belongs to a different log.
     */
    void seek(TopicPartition id, LogPosition place);

    /**
     * Returns the offset of the next record to fetch, or {@link #UNKNOWN}. Does not query the client, because the query
     * could throw a fault that the next poll must report.
     */
    long position(TopicPartition id);

    /** Returns the leader epoch of the record before {@link #position}, or {@link #UNKNOWN}. */
    int leaderEpoch(TopicPartition id);

    /**
     * Returns the number of records from {@link #position} to the partition's end, or {@link #UNKNOWN}. Does not wait.
     */
    long lag(TopicPartition id);

    /** Returns the total time for which broker quotas have throttled fetches. Does not wait. */
    default long throttledNanos() {
        return 0;
    }

    /** Returns the time that decoders have spent on the fetch threads. May be called from any thread. */
    default DecodeTime decodeTime() {
        return DecodeTime.NONE;
    }

    /** Returns the responses and lost connections so far on all broker connections. Does not wait. */
    BrokerContact contact();

    /** Closes the fetcher's resources, but not the client. */
    @Override
    void close();
}
