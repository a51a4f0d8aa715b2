package dev.weir.kafka.internal.in.fetch;

import dev.weir.kafka.internal.in.lookup.BrokerContact;
import dev.weir.kafka.internal.meters.DecodeTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;

/**
 * Fetches the records of the assigned partitions. In every implementation, Kafka's own client handles membership and
 * commits. Confined to the owner thread, except for {@link #wakeup} and {@link #decodeTime}.
 *
 * <p>{@link #pause}, {@link #resume}, {@link #hold} and {@link #seek} may be called only for assigned partitions.
 */
public interface RecordFetcher extends AutoCloseable {

    /** Returned for a position, lag or epoch that is currently unknown. */
    int UNKNOWN = -1;

    /**
     * The records of a poll, by partition. A fetcher may reuse the object and its lists, so both are valid only until
     * the next poll. Confined to the owner thread.
     */
    final class Fetched {

        private final List<TopicPartition> ids = new ArrayList<>();
        private final List<List<ConsumerRecord<byte[], byte[]>>> lists = new ArrayList<>();

        Fetched() {}

        static Fetched none() {
            return new Fetched();
        }

        /** Converts the records of a client's poll. Omits partitions whose records an interceptor has removed. */
        public static Fetched of(ConsumerRecords<byte[], byte[]> records) {
            Fetched fetched = new Fetched();
            for (TopicPartition id : records.partitions()) {
                List<ConsumerRecord<byte[], byte[]>> list = records.records(id);
                if (!list.isEmpty()) {
                    fetched.add(id, list);
                }
            }
            return fetched;
        }

        void clear() {
            ids.clear();
            lists.clear();
        }

        /** Adds the records of another partition. The list must not be empty. */
        void add(TopicPartition id, List<ConsumerRecord<byte[], byte[]>> records) {
            ids.add(id);
            lists.add(records);
        }

        public boolean isEmpty() {
            return ids.isEmpty();
        }

        /** Returns the number of partitions with records. */
        public int partitions() {
            return ids.size();
        }

        public TopicPartition partition(int index) {
            return ids.get(index);
        }

        /** Returns the records of the partition at that index, in order. */
        public List<ConsumerRecord<byte[], byte[]>> records(int index) {
            return lists.get(index);
        }
    }

    /**
     * Returns the available records, or waits for records if there are none. The result is valid until the next call.
     * Also serves the group: rebalance callbacks and responses to commits are processed within this method, so it must
     * be called even if no records are wanted.
     *
     * @throws org.apache.kafka.common.errors.WakeupException after a {@link #wakeup}
     * @throws org.apache.kafka.common.errors.RetriableException if another attempt may succeed
     */
    Fetched poll(long nanos);

    /**
     * Returns whether {@link #fetchOnly} may be called now. Always false if the group member's own client fetches the
     * records.
     */
    default boolean canFetchOnly() {
        return false;
    }

    /**
     * Returns the available records, or waits for records if there are none. Does not serve the group. Used while a
     * rebalance callback waits within {@link #poll}, to read the partitions that the member keeps. Faults are reported
     * by the next poll. Call only if {@link #canFetchOnly} returns true.
     */
    default Fetched fetchOnly(long nanos) {
        throw new UnsupportedOperationException("records arrive through the member's client");
    }

    /**
     * Sets whether the member's client is waiting for a response. The client is then polled more often, because it
     * processes responses only within a poll.
     */
    default void awaitAnswer(boolean awaited) {}

    /** Returns whether this fetcher fetches by topic id, so that a poll fails soon after a topic has been recreated. */
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

    /** Pauses partitions. Records that were already fetched are retained and not fetched again. */
    void pause(Collection<TopicPartition> ids);

    void resume(Collection<TopicPartition> ids);

    /**
     * Discards the position of a paused partition without looking up a new one. The partition has no position until
     * {@link #seek} is called.
     */
    void hold(TopicPartition id);

    /**
     * Sets the position for the next poll and drops records fetched ahead. If the position has a leader epoch, the
     * fetcher verifies the position first, and a poll throws the client's {@code OffsetOutOfRangeException} if the
     * position belongs to a different log.
     */
    void seek(TopicPartition id, LogPosition place);

    /**
     * Returns the position set by a seek or, after a poll, the position after the last record returned and any skipped
     * offsets that follow it. Does not query the client, because the query could throw a fault, and the next poll would
     * then not report it.
     */
    long position(TopicPartition id);

    /** Returns the leader epoch of the record before {@link #position}, or {@link #UNKNOWN}. */
    int leaderEpoch(TopicPartition id);

    /**
     * Returns the number of records from {@link #position} to the end of the partition, or {@link #UNKNOWN}. Does not
     * wait.
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

    /** Returns the number of responses and lost connections so far on all broker connections. Does not wait. */
    BrokerContact contact();

    /** Closes the fetcher's own resources, which do not include the client. */
    @Override
    void close();
}
