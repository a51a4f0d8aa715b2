package dev.weir.kafka.spi;

import dev.weir.kafka.Position;
import dev.weir.kafka.Subscription.Selection;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;

/**
 * Asynchronous broker queries, which do not block the consumer's owner thread. Thread-safe. The completion stages
 * complete on any thread.
 *
 * <p>Each partition or topic has its own completion stage. A deleted topic, or a partition without a leader, does not
 * delay the results for others.
 */
public interface Lookup extends AutoCloseable {

    /** The result of {@link #divergentOffsets} if the log never had a leader with the position's epoch. */
    long UNKNOWN_EPOCH = -1;

    /**
     * The topics of a selection.
     *
     * @param ids all partitions of the topics that could be described
     * @param failures the failure of each other topic;
     *     {@link org.apache.kafka.common.errors.UnknownTopicOrPartitionException} if it does not exist
     */
    record Described(Set<TopicPartition> ids, Map<String, Throwable> failures) {}

    /**
     * Returns the current offset of each position. A stage fails with a
     * {@link org.apache.kafka.common.errors.RetriableException} if no broker can resolve the position: immediately if
     * the partition or its leader is missing, otherwise after the timeout.
     *
     * @param within the timeout
     * @return one stage per partition
     */
    Map<TopicPartition, CompletionStage<Long>> offsets(Map<TopicPartition, Position> positions, Duration within);

    /**
     * Returns the current high watermark of each partition, for a consumer of committed records. Empty for a consumer
     * of uncommitted records. Stages complete as for {@link #offsets}.
     *
     * @param within the timeout
     */
    default Map<TopicPartition, CompletionStage<Long>> highWatermarks(Collection<TopicPartition> ids, Duration within) {
        return Map.of();
    }

    /**
     * Returns, for each partition, the first offset at which the current log differs from the log of the committed
     * position. The result is below the position if the log was truncated and rewritten, {@link #UNKNOWN_EPOCH} if the
     * current log never had a leader with this epoch, and otherwise the position. A stage fails if no response arrives
     * in time.
     *
     * @param positions positions, each with the leader epoch of the record before it; the caller has just checked that
     *     each partition has a leader
     */
    default Map<TopicPartition, CompletionStage<Long>> divergentOffsets(
            Map<TopicPartition, OffsetAndMetadata> positions, Duration within) {
        return positions.entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey,
                        position -> CompletableFuture.completedStage(
                                position.getValue().offset())));
    }

    /**
     * Describes the producer of the oldest open transaction in a partition. Fails if no broker can identify it.
     *
     * @param within the timeout of each request
     */
    default CompletionStage<String> openTransaction(TopicPartition id, Duration within) {
        return CompletableFuture.failedStage(new UnsupportedOperationException("not available"));
    }

    /** Returns the current partitions of a selection. A pattern that matches no topics is not a failure. */
    CompletionStage<Described> partitions(Selection selection);

    /** Returns the offsets that a group has committed, or an empty map if the group does not exist. */
    CompletionStage<Map<TopicPartition, OffsetAndMetadata>> commits(String group);

    /**
     * Returns the current id of each topic, or {@link Uuid#ZERO_UUID} if the brokers do not support topic ids. A stage
     * fails if no response arrives in time.
     */
    default Map<String, CompletionStage<Uuid>> topicIds(Collection<String> topics, Duration within) {
        return topics.stream()
                .collect(Collectors.toMap(name -> name, name -> CompletableFuture.completedStage(Uuid.ZERO_UUID)));
    }

    /** Returns the names of all topics except Kafka's internal topics. */
    CompletionStage<Set<String>> topics();

    @Override
    void close();
}
