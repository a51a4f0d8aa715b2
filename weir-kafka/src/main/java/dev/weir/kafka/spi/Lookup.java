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
 * Broker queries that would block the consumer's owner thread if they were synchronous. Thread-safe. The returned
 * completion stages complete on any thread.
 *
 * <p>Each partition or topic has its own completion stage. A deleted topic, or a partition without a leader, therefore
 * does not delay the results for others.
 */
public interface Lookup extends AutoCloseable {

    /** The result of {@link #divergentOffsets} if the log has never had a leader with the position's epoch. */
    long UNKNOWN_EPOCH = -1;

    /**
     * The topics of a selection.
     *
     * @param ids all partitions of the topics that could be described
     * @param failures the failure for each topic that could not be described: {@link
     *     org.apache.kafka.common.errors.UnknownTopicOrPartitionException} if the topic does not exist
     */
    record Described(Set<TopicPartition> ids, Map<String, Throwable> failures) {}

    /**
     * Returns the offset to which each position currently resolves. A stage fails with a
     * {@link org.apache.kafka.common.errors.RetriableException} if no broker can resolve the position at the moment:
     * immediately if the partition or its leader is missing, otherwise after the timeout.
     *
     * @param within the timeout
     * @return one stage per partition
     */
    Map<TopicPartition, CompletionStage<Long>> offsets(Map<TopicPartition, Position> positions, Duration within);

    /**
     * Returns the current high watermark of each partition for a consumer that reads only committed records. Such a
     * consumer stops at the last stable offset; records between that offset and the high watermark are waiting for a
     * transaction to end. Empty for a consumer that reads uncommitted records. Stages complete as for {@link #offsets}.
     *
     * @param within the timeout
     */
    default Map<TopicPartition, CompletionStage<Long>> highWatermarks(Collection<TopicPartition> ids, Duration within) {
        return Map.of();
    }

    /**
     * Returns, for each partition, the first offset at which the current log differs from the log in which the position
     * was committed. The logs are compared by the position's leader epoch. If the log was truncated before the position
     * and rewritten, the result is below the position. If the current log has never had a leader with this epoch, the
     * result is {@link #UNKNOWN_EPOCH}. Otherwise the result is the position itself. A stage fails if there is no
     * response in time. A stage may complete only after the brokers have responded for the other partitions as well.
     *
     * @param positions positions with the leader epoch of the record that precedes each of them; the caller must have
     *     checked just before that each partition has a leader
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
     * Returns a human-readable description of the producer with the oldest open transaction in a partition. Fails if no
     * broker can identify it.
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
     * fails if there is no response in time.
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
