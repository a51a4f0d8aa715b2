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
 * Broker queries that the owner thread must not wait for. Thread-safe; stages complete on any thread.
 *
 * <p>Each partition and each topic has its own stage, so one without a leader, or a deleted one, delays no other.
 */
public interface Lookup extends AutoCloseable {

    /** The result of {@link #divergentOffsets} if no leader of the log had the position's epoch. */
    long UNKNOWN_EPOCH = -1;

    /**
     * The topics of a selection.
     *
     * @param ids all partitions of the described topics
     * @param failures the failure of each other topic; {@link
     *     org.apache.kafka.common.errors.UnknownTopicOrPartitionException} for one that does not exist
     */
    record Described(Set<TopicPartition> ids, Map<String, Throwable> failures) {}

    /**
     * The offset to which each position resolves now. A stage fails with a
     * {@link org.apache.kafka.common.errors.RetriableException} if there is no answer at the moment: at once for a
     * missing leader or partition, otherwise after the timeout.
     *
     * @param within the timeout
     * @return a stage for each partition
     */
    Map<TopicPartition, CompletionStage<Long>> offsets(Map<TopicPartition, Position> positions, Duration within);

    /**
     * The current high watermark of each partition, for a reader of committed records, which ends at the last stable
     * offset; records between the two wait for a transaction to end. Empty for a reader of all records. Stages complete
     * as for {@link #offsets}.
     *
     * @param within the timeout
     */
    default Map<TopicPartition, CompletionStage<Long>> highWatermarks(Collection<TopicPartition> ids, Duration within) {
        return Map.of();
    }

    /**
     * The first offset at which each partition's log differs from the log in which its position was committed, found by
     * the position's leader epoch. It is below the position if the log was truncated and rewritten before it,
     * {@link #UNKNOWN_EPOCH} if no leader of this log had the epoch, and otherwise the position itself. A stage fails
     * if there is no answer in time. Answers may wait for one another.
     *
     * @param positions each with the leader epoch of the record before it; their leaders were known a moment ago
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
     * Describes, for people, the producer of the oldest open transaction in a partition. Fails if no broker can tell.
     *
     * @param within the timeout of each request
     */
    default CompletionStage<String> openTransaction(TopicPartition id, Duration within) {
        return CompletableFuture.failedStage(new UnsupportedOperationException("nobody tells"));
    }

    /** The current partitions of a selection. A pattern that matches no topic is not a failure. */
    CompletionStage<Described> partitions(Selection selection);

    /** The offsets a group has committed; nothing for a group that does not exist. */
    CompletionStage<Map<TopicPartition, OffsetAndMetadata>> commits(String group);

    /**
     * The current id of each topic, {@link Uuid#ZERO_UUID} where brokers have none. A stage fails if there is no answer
     * in time.
     */
    default Map<String, CompletionStage<Uuid>> topicIds(Collection<String> topics, Duration within) {
        return topics.stream()
                .collect(Collectors.toMap(name -> name, name -> CompletableFuture.completedStage(Uuid.ZERO_UUID)));
    }

    /** The names of all topics except Kafka's internal ones. */
    CompletionStage<Set<String>> topics();

    @Override
    void close();
}
