package dev.weir.kafka.internal.out.write;

import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/**
 * Decides which records must wait until the first record of their partition is complete. Confined to the sender's
 * thread.
 *
 * <p>A broker accepts any sequence number as a producer's first one in a partition. To keep the order, later records
 * wait for a producer's first record to a topic or partition (ADR 60).
 */
final class FirstRecords<K> {

    /** The interval at which partitions are counted again. */
    private static final long COUNT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final class Topic {
        int partitions;

        List<Integer> leaders = List.of();

        final Map<Integer, Future<?>> asked = new HashMap<>();
        final BitSet answered = new BitSet();
        int answeredCount;

        void answered(int partition) {
            asked.remove(partition);
            answered.set(partition);
            answeredCount = answered.cardinality();
        }
    }

    /** The key serializer; null if the partition of a key cannot be predicted. */
    private final @Nullable Serializer<K> keys;

    private final boolean inOrder;

    private final Map<String, Topic> topics = new HashMap<>();
    private @Nullable Producer<K, ?> producer;
    private long countedNanos;

    /** The topic of the last checked record if it is the first record of its partition; otherwise null. */
    private @Nullable Topic next;

    private int nextPartition;
    private Topic last = new Topic();
    private String lastName = "";

    FirstRecords(@Nullable Serializer<K> keys) {
        this(keys, false);
    }

    /**
     * Creates a check.
     *
     * @param inOrder true if the producer itself keeps the order of a partition's first batches, and no record must
     *     wait
     */
    FirstRecords(@Nullable Serializer<K> keys, boolean inOrder) {
        this.keys = keys;
        this.inOrder = inOrder;
    }

    /** Starts over with a new producer, unknown to the brokers. */
    void begin(Producer<K, ?> newProducer) {
        producer = newProducer;
        topics.clear();
        lastName = "";
        next = null;
        countedNanos = System.nanoTime() - 2 * COUNT_NANOS;
    }

    /**
     * Returns the future of the partition's first record, or null if the record need not wait for it. Each future is
     * returned at most once.
     */
    @Nullable
    Future<?> before(ProducerRecord<K, ?> record) {
        next = null;
        if (inOrder) {
            return null;
        }
        Topic topic = topicOf(record.topic());
        if (topic == null || topic.answeredCount == topic.partitions) {
            return null;
        }
        int partition = partitionOf(record, topic);
        if (partition < 0 || topic.answered.get(partition)) {
            return null;
        }
        Future<?> first = topic.asked.get(partition);
        if (first == null) {
            next = topic;
            nextPartition = partition;
        } else {
            // Later records need not wait: the record is complete, or the caller waits for it now.
            topic.answered(partition);
        }
        return first == null || first.isDone() ? null : first;
    }

    /** Reports that the last checked record was sent. */
    void sent(Future<?> answer) {
        if (next != null) {
            next.asked.put(nextPartition, answer);
            next = null;
        }
    }

    /** Reports that the first record of a topic is complete. */
    void answered(ProducerRecord<K, ?> record) {
        Topic topic = new Topic();
        topics.put(record.topic(), topic);
        count(record.topic(), topic);
        int partition = partitionOf(record, topic);
        if (partition >= 0) {
            topic.answered(partition);
        }
    }

    boolean isKnown(String topic) {
        return topicOf(topic) != null;
    }

    /** Counts the partitions again if that is due, and returns whether it was. */
    boolean refresh(long nowNanos) {
        boolean isDue = !inOrder && nowNanos - countedNanos > COUNT_NANOS;
        if (isDue) {
            countedNanos = nowNanos;
            topics.forEach(this::count);
        }
        return isDue;
    }

    /** Returns the number of partitions per leader, for all topics written so far. */
    Collection<Integer> partitionsByBroker() {
        Map<Integer, Integer> count = new HashMap<>();
        topics.values().forEach(topic -> topic.leaders.forEach(leader -> count.merge(leader, 1, Integer::sum)));
        return count.values();
    }

    private @Nullable Topic topicOf(String name) {
        if (!name.equals(lastName)) {
            Topic topic = topics.get(name);
            if (topic == null) {
                return null;
            }
            last = topic;
            lastName = name;
        }
        return last;
    }

    /** Reads the topic's partitions from the client, which usually knows them after a write. */
    private void count(String name, Topic topic) {
        try {
            if (producer != null) {
                List<PartitionInfo> partitions = producer.partitionsFor(name);
                topic.partitions = partitions.size();
                topic.leaders = partitions.stream()
                        .map(partition -> partition.leader() == null
                                ? Node.noNode().id()
                                : partition.leader().id())
                        .toList();
            }
        } catch (InterruptException interrupted) {
            throw interrupted;
        } catch (KafkaException | IllegalStateException notKnown) {
            // The previous numbers remain valid. If the topic is gone, a later send reports that.
        }
    }

    private int partitionOf(ProducerRecord<K, ?> record, Topic topic) {
        Integer said = record.partition();
        if (said != null) {
            return said;
        }
        if (keys == null || record.key() == null || topic.partitions == 0) {
            return -1;
        }
        try {
            byte[] key = keys.serialize(record.topic(), new RecordHeaders(record.headers()), record.key());
            return key == null ? -1 : Utils.toPositive(Utils.murmur2(key)) % topic.partitions;
        } catch (RuntimeException | StackOverflowError notSerializable) {
            return -1; // the client will report the failure
        }
    }
}
