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
 * Questions to the brokers which the owner thread must not wait for. Thread-safe; answers come on any thread.
 *
 * <p>Each partition, and each topic, has an answer of its own, which waits for no other: one without a leader, or one
 * that was deleted, holds up nothing else.
 */
public interface Lookup extends AutoCloseable {

    /** The answer of {@link #divergentOffsets} if no leader of the log had the epoch of the position. */
    long UNKNOWN_EPOCH = -1;

    /**
     * The topics of a selection.
     *
     * @param ids all partitions of those that could be described
     * @param failures why not, by topic, of the others; {@link
     *     org.apache.kafka.common.errors.UnknownTopicOrPartitionException} of one that does not exist
     */
    record Described(Set<TopicPartition> ids, Map<String, Throwable> failures) {}

    /**
     * The offset behind each position now. Where there is no answer at the moment, a stage fails with a {@link
     * org.apache.kafka.common.errors.RetriableException} that says why: at once if there is no leader or no such
     * partition, or else after a time.
     *
     * @param within that time
     * @return a stage for each partition
     */
    Map<TopicPartition, CompletionStage<Long>> offsets(Map<TopicPartition, Position> positions, Duration within);

    /**
     * The high watermark of each partition now, for a reader of committed records, whose own end is the last stable
     * offset: what is between the two waits for a transaction to end. Empty for a reader of all records. Answers are as
     * those of {@link #offsets}.
     *
     * @param within how long an answer may take
     */
    default Map<TopicPartition, CompletionStage<Long>> highWatermarks(Collection<TopicPartition> ids, Duration within) {
        return Map.of();
    }

    /**
     * The offset from which on the log of each partition differs from the one that its position was committed in, as
     * the leader epoch of the position tells: less than the offset of the position if the log was truncated before it
     * and written anew since, {@link #UNKNOWN_EPOCH} if no leader of this log had the epoch, and otherwise the offset
     * of the position. Where there is no answer within that time a stage fails. Answers may wait for one another.
     *
     * @param positions each with a leader epoch, that of the record before it; their leaders were known a moment ago
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
     * The producer whose open transaction began first in a partition, in words for people. Fails where nobody can tell.
     *
     * @param within how long each question may take
     */
    default CompletionStage<String> openTransaction(TopicPartition id, Duration within) {
        return CompletableFuture.failedStage(new UnsupportedOperationException("nobody tells"));
    }

    /**
     * The partitions that a selection has now. Topics that do not exist are no failures if the selection is a pattern.
     */
    CompletionStage<Described> partitions(Selection selection);

    /** The offsets a group has committed; nothing for a group that does not exist. */
    CompletionStage<Map<TopicPartition, OffsetAndMetadata>> commits(String group);

    /**
     * The id of each topic now, {@link Uuid#ZERO_UUID} where brokers give none. Where there is no answer within that
     * time a stage fails.
     */
    default Map<String, CompletionStage<Uuid>> topicIds(Collection<String> topics, Duration within) {
        return topics.stream()
                .collect(Collectors.toMap(name -> name, name -> CompletableFuture.completedStage(Uuid.ZERO_UUID)));
    }

    /** The names of all topics but Kafka's own. */
    CompletionStage<Set<String>> topics();

    @Override
    void close();
}
