package dev.weir.kafka.internal.in.fetch;

import dev.weir.kafka.internal.in.lookup.BrokerContact;
import dev.weir.kafka.internal.meters.DecodeTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;

/**
 * Fetches the records of the assigned partitions. Membership and commits stay with Kafka's own client on either path.
 * Confined to the owner thread, except for {@link #wakeup} and {@link #decodeTime}.
 *
 * <p>{@link #pause}, {@link #resume}, {@link #hold} and {@link #seek} are for assigned partitions only.
 */
public interface RecordFetcher extends AutoCloseable {

    /** Stands for an unknown position or lag. */
    int UNKNOWN = -1;

    /**
     * The records of a poll, by partition. A fetcher may reuse the object and its lists in each poll: both are valid
     * until the next one. Confined to the owner thread.
     */
    final class Fetched implements Iterable<ConsumerRecord<byte[], byte[]>> {

        private final List<TopicPartition> ids = new ArrayList<>();
        private final List<List<ConsumerRecord<byte[], byte[]>>> lists = new ArrayList<>();

        Fetched() {}

        /** No records. */
        static Fetched none() {
            return new Fetched();
        }

        /** Copies the records from a client's poll. */
        public static Fetched of(ConsumerRecords<byte[], byte[]> records) {
            Fetched fetched = new Fetched();
            for (TopicPartition id : records.partitions()) {
                fetched.add(id, records.records(id));
            }
            return fetched;
        }

        void clear() {
            ids.clear();
            lists.clear();
        }

        /** Adds the records of another partition, at least one. */
        void add(TopicPartition id, List<ConsumerRecord<byte[], byte[]>> records) {
            ids.add(id);
            lists.add(records);
        }

        public boolean isEmpty() {
            return ids.isEmpty();
        }

        /** The number of partitions with records. */
        public int partitions() {
            return ids.size();
        }

        public TopicPartition partition(int index) {
            return ids.get(index);
        }

        /** The records of that partition, in order. */
        public List<ConsumerRecord<byte[], byte[]>> records(int index) {
            return lists.get(index);
        }

        /** The records of a partition, perhaps none. */
        List<ConsumerRecord<byte[], byte[]>> records(TopicPartition id) {
            int index = ids.indexOf(id);
            return index < 0 ? List.of() : lists.get(index);
        }

        @Override
        public Iterator<ConsumerRecord<byte[], byte[]>> iterator() {
            return lists.stream().flatMap(List::stream).iterator();
        }
    }

    /**
     * Returns available records, valid until the next call, or waits for some. It also serves the group: rebalance
     * callbacks and commit answers run inside it, so it must be called whether records are wanted or not.
     *
     * @throws org.apache.kafka.common.errors.WakeupException after a {@link #wakeup}
     * @throws org.apache.kafka.common.errors.RetriableException if another try may succeed
     */
    Fetched poll(long nanos);

    /**
     * Returns whether {@link #fetchOnly} can return records now, because they do not come through the member's client.
     */
    default boolean canFetchOnly() {
        return false;
    }

    /**
     * Returns available records, or waits for some, without serving the group: for retained partitions, while a
     * rebalance waits within {@link #poll}. Faults are left for the next poll. Only if {@link #canFetchOnly}.
     */
    default Fetched fetchOnly(long nanos) {
        throw new UnsupportedOperationException("records come by the member's client");
    }

    /** Sets whether an answer to the member's client is awaited; it arrives within a poll, so polls must come soon. */
    default void awaitAnswer(boolean awaited) {}

    /** Returns whether a poll fails soon after one of its topics was recreated, because it fetches by topic id. */
    default boolean fetchesByTopicId() {
        return false;
    }

    /** Ends the current or the next poll. Any thread. */
    void wakeup();

    /** Reports newly assigned partitions. Each is held or sought before the poll continues. Within a poll. */
    void assigned(Collection<TopicPartition> ids);

    /** Reports revoked partitions: no poll returns records of them. Within a poll. */
    void withdrawn(Collection<TopicPartition> ids);

    /** Pauses partitions. Records already fetched are kept for later and not fetched again. */
    void pause(Collection<TopicPartition> ids);

    void resume(Collection<TopicPartition> ids);

    /** Forgets the position of a paused partition and does not look for one; {@link #seek} will set it. */
    void hold(TopicPartition id);

    /**
     * Sets the position for the next poll; records fetched ahead are dropped. A known leader epoch is checked first,
     * and a poll fails with the client's {@code OffsetOutOfRangeException} if the log before the position is a
     * different one.
     */
    void seek(TopicPartition id, LogPosition place);

    /**
     * The position after the last record that a poll returned and after skipped offsets that follow it, or as set by a
     * seek. Does not ask the client, which might hand out and then forget a fault that its next poll should throw.
     */
    long position(TopicPartition id);

    /** The leader epoch of the record before {@link #position}, or {@link #UNKNOWN}. */
    int leaderEpoch(TopicPartition id);

    /** The number of records from there to the end of the partition; does not wait. */
    long lag(TopicPartition id);

    /** The total time for which broker quotas have throttled fetches so far; does not wait. */
    default long throttledNanos() {
        return 0;
    }

    /** The time that decoders have taken on the fetch threads. Any thread. */
    default DecodeTime decodeTime() {
        return DecodeTime.NONE;
    }

    /** The broker contacts so far on all connections; does not wait. */
    BrokerContact contact();

    /** Closes its own resources, which exclude the client. */
    @Override
    void close();
}
