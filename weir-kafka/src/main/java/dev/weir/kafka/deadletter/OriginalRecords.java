package dev.weir.kafka.deadletter;

import dev.weir.kafka.ConsumerSettings;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * Fetches the original records of dead-letter records by offset, without a consumer group. Must be used and closed by
 * one thread. Lookups are fastest in the order of partitions and offsets.
 */
public final class OriginalRecords implements AutoCloseable {

    private static final Duration POLL = Duration.ofMillis(100);

    /** Minimum distance, in offsets, for a seek. To reach a nearer offset, the consumer reads and discards records. */
    private static final int NEAR = 1_000;

    private static final String FETCH_BYTES = "262144";

    private final Consumer<byte[], byte[]> consumer;
    private final Duration patience;
    private final Map<String, Set<Integer>> partitions = new HashMap<>();

    /** Fetched records of {@link #current} from offset {@link #from}, not yet examined. */
    private final ArrayDeque<ConsumerRecord<byte[], byte[]>> fetched = new ArrayDeque<>();

    private @Nullable TopicPartition current;
    private long from;
    private long end;

    /** The outcome of a search. */
    public sealed interface Outcome {}

    /**
     * The original record was found.
     *
     * @param deadLetter the dead-letter record, completed with the original
     */
    public record Found(DeadLetterRecord deadLetter) implements Outcome {

        /** Rejects null. */
        public Found {
            Objects.requireNonNull(deadLetter, "deadLetter");
        }
    }

    /**
     * The original record no longer exists.
     *
     * @param why the reason, as a sentence
     */
    public record Gone(String why) implements Outcome {

        /** Rejects null. */
        public Gone {
            Objects.requireNonNull(why, "why");
        }
    }

    OriginalRecords(Consumer<byte[], byte[]> consumer, Duration patience) {
        this.consumer = consumer;
        this.patience = patience;
    }

    /**
     * Creates a consumer for the cluster.
     *
     * @param settings the settings for the original topics' cluster; the consumer does not join the group
     * @param patience the longest wait for a response from a broker
     */
    public static OriginalRecords open(ConsumerSettings<?, ?> settings, Duration patience) {
        Objects.requireNonNull(patience, "patience");
        Map<String, Object> config =
                Objects.requireNonNull(settings, "settings").clientConfig();
        config.remove(ConsumerConfig.GROUP_ID_CONFIG);
        config.remove(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG);
        // A share group may have consumed a record of an aborted or open transaction.
        config.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_uncommitted");
        // The topic comes from a header, and a lookup must not create it.
        config.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        config.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, FETCH_BYTES);
        return new OriginalRecords(
                new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer()), patience);
    }

    /**
     * Searches for the original of a dead-letter record.
     *
     * @throws IllegalArgumentException if the dead-letter record has no partition or offset
     * @throws TimeoutException if the brokers do not respond in time
     */
    public Outcome find(DeadLetterRecord deadLetter) {
        if (deadLetter.partition() == DeadLetterRecord.UNKNOWN || deadLetter.offset() == DeadLetterRecord.UNKNOWN) {
            throw new IllegalArgumentException(
                    "the dead-letter record does not say from which partition and offset: " + deadLetter);
        }
        TopicPartition id = new TopicPartition(deadLetter.topic(), deadLetter.partition());
        if (!partitions.computeIfAbsent(deadLetter.topic(), this::partitionsOf).contains(deadLetter.partition())) {
            return new Gone(deadLetter.origin() + ": there is no partition " + id + " any more");
        }
        try {
            String outside = goTo(id, deadLetter.offset());
            if (outside != null) {
                return new Gone(deadLetter.origin() + ": " + outside);
            }
            ConsumerRecord<byte[], byte[]> found = await(id, deadLetter.offset());
            if (found == null) {
                return new Gone(deadLetter.origin() + ": compaction or a transaction has removed it from " + id);
            }
            return isOf(deadLetter.record(), found)
                    ? new Found(deadLetter.with(found))
                    : new Gone(deadLetter.origin() + ": another record is there, so the topic was recreated");
        } catch (InvalidOffsetException deletedMeanwhile) {
            current = null;
            return new Gone(deadLetter.origin() + ": retention has just deleted it");
        }
    }

    private Set<Integer> partitionsOf(String topic) {
        Set<Integer> numbers = new HashSet<>();
        // The topic name comes from a header, and a client may be unable to send an invalid name.
        List<PartitionInfo> infos = Topic.isValid(topic) ? consumer.partitionsFor(topic, patience) : null;
        if (infos != null) {
            infos.forEach(info -> numbers.add(info.partition()));
        }
        return numbers;
    }

    /** Prepares the consumer to read the offset. Returns why the offset is outside the partition, or null. */
    private @Nullable String goTo(TopicPartition id, long offset) {
        boolean isNext = id.equals(current) && offset >= from && offset < end && offset - consumer.position(id) < NEAR;
        if (isNext) {
            from = offset;
            return null;
        }
        List<TopicPartition> ids = List.of(id);
        long begin = bound(consumer.beginningOffsets(ids, patience), id);
        end = bound(consumer.endOffsets(ids, patience), id);
        current = null;
        if (offset < begin) {
            return "retention has deleted it; the partition begins at " + begin;
        }
        if (offset >= end) {
            return "the partition ends at " + end + ", so the topic was recreated or cut";
        }
        fetched.clear();
        consumer.assign(ids);
        consumer.seek(id, offset);
        current = id;
        from = offset;
        return null;
    }

    private static long bound(Map<TopicPartition, Long> bounds, TopicPartition id) {
        return Objects.requireNonNull(bounds.get(id), "no answer about " + id);
    }

    /** Returns the record at the offset, or null if there is none any more. */
    private @Nullable ConsumerRecord<byte[], byte[]> await(TopicPartition id, long offset) {
        long deadlineNanos = System.nanoTime() + patience.toNanos();
        while (true) {
            while (!fetched.isEmpty() && fetched.getFirst().offset() < offset) {
                fetched.remove();
            }
            if (!fetched.isEmpty()) {
                return fetched.getFirst().offset() == offset ? fetched.getFirst() : null;
            }
            if (consumer.position(id) > offset) {
                return null;
            }
            fetched.addAll(consumer.poll(POLL).records(id));
            boolean isLate = System.nanoTime() - deadlineNanos > 0;
            if (isLate && fetched.isEmpty() && consumer.position(id) <= offset) {
                throw new TimeoutException("no answer within " + patience + " to a fetch of " + id + "@" + offset);
            }
        }
    }

    /** Returns whether {@code record} equals the copy in the dead-letter record. True if there is no copy. */
    private static boolean isOf(ConsumerRecord<byte[], byte[]> deadLetter, ConsumerRecord<byte[], byte[]> record) {
        boolean hasCopy = deadLetter.key() != null || deadLetter.value() != null;
        return !hasCopy
                || (Arrays.equals(deadLetter.key(), record.key()) && Arrays.equals(deadLetter.value(), record.value()));
    }

    @Override
    public void close() {
        consumer.close();
    }
}
