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
 * Fetches the records of the assigned partitions. Membership and commits are not its business: they stay with Kafka's
 * own client, whichever way the records take. Confined to the owner thread, but for {@link #wakeup} and {@link
 * #decodeTime}.
 *
 * <p>{@link #pause}, {@link #resume}, {@link #hold} and {@link #seek} are for assigned partitions only.
 */
public interface RecordFetcher extends AutoCloseable {

    /** A position or a lag that is not known at the moment. */
    int UNKNOWN = -1;

    /**
     * The records that a poll brought, by partition. A fetcher may fill the same object, and the same lists, in each
     * poll: both are valid until the next one. Confined to the owner thread.
     */
    final class Fetched implements Iterable<ConsumerRecord<byte[], byte[]>> {

        private final List<TopicPartition> ids = new ArrayList<>();
        private final List<List<ConsumerRecord<byte[], byte[]>>> lists = new ArrayList<>();

        Fetched() {}

        /** Nothing. */
        static Fetched none() {
            return new Fetched();
        }

        /** Copies the records that a client's poll has returned. */
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

        /** The number of partitions that records came of. */
        public int partitions() {
            return ids.size();
        }

        public TopicPartition partition(int index) {
            return ids.get(index);
        }

        /** The records of that partition, in their order. */
        public List<ConsumerRecord<byte[], byte[]>> records(int index) {
            return lists.get(index);
        }

        /** The records of a partition, which may be none. */
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
     * Returns what is there, valid until the next call, or waits for it. It also serves the group: rebalances are
     * called back and commits answered from within, so it has to be called whether records are wanted or not.
     *
     * @throws org.apache.kafka.common.errors.WakeupException after a {@link #wakeup}
     * @throws org.apache.kafka.common.errors.RetriableException if another try may succeed
     */
    Fetched poll(long nanos);

    /**
     * Returns whether {@link #fetchOnly} can bring anything now: records come by another way than the member's client.
     */
    default boolean canFetchOnly() {
        return false;
    }

    /**
     * Returns what is there, or waits for it, and does not serve the group: for the partitions that stay, while a
     * rebalance waits within {@link #poll}. Faults are left for the next poll. Only if {@link #canFetchOnly}.
     */
    default Fetched fetchOnly(long nanos) {
        throw new UnsupportedOperationException("records come by the member's client");
    }

    /** Says whether an answer to the member's client is awaited, which comes within a poll: it is to come soon. */
    default void awaitAnswer(boolean awaited) {}

    /**
     * Returns whether a poll fails soon after a topic was recreated of which it fetches: brokers are asked by its
     * id.
     */
    default boolean fetchesByTopicId() {
        return false;
    }

    /** Ends the poll that is under way or comes next. Any thread. */
    void wakeup();

    /** Partitions have come. Each is held or sought before the poll goes on. Within a poll. */
    void assigned(Collection<TopicPartition> ids);

    /** Partitions go: a poll returns no more of them. Within a poll. */
    void withdrawn(Collection<TopicPartition> ids);

    /** Pauses partitions; records already fetched of them are kept for later and not fetched again. */
    void pause(Collection<TopicPartition> ids);

    void resume(Collection<TopicPartition> ids);

    /** Forgets where to go on in a partition, which is paused, and does not look for it: {@link #seek} will say. */
    void hold(TopicPartition id);

    /**
     * The next poll goes on there; what was fetched ahead is dropped. If the leader epoch is known it is checked first,
     * and a poll fails with the client's {@code OffsetOutOfRangeException} if the log is not the same
     * one before that place.
     */
    void seek(TopicPartition id, LogPosition place);

    /**
     * Position past the last record that a poll returned and past skipped offsets behind it, or as set by a seek. Does
     * not ask the client, which might hand out and then forget a fault that its next poll was to throw.
     */
    long position(TopicPartition id);

    /** The leader epoch of what is before {@link #position}, or {@link #UNKNOWN}. */
    int leaderEpoch(TopicPartition id);

    /** Records from there to the end of the partition; does not wait. */
    long lag(TopicPartition id);

    /** The time for which brokers throttled the fetches so far, in sum over their answers; does not wait. */
    default long throttledNanos() {
        return 0;
    }

    /** The time that decoders take on the threads that fetch. Any thread. */
    default DecodeTime decodeTime() {
        return DecodeTime.NONE;
    }

    /** The signs of life from brokers so far, by whichever way; does not wait. */
    BrokerContact contact();

    /** Lets go of what it has of its own, which the client is not. */
    @Override
    void close();
}
