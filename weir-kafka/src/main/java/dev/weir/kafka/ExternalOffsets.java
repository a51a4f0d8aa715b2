package dev.weir.kafka;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.TopicPartition;

/**
 * Provides the positions of a source that are stored outside Kafka, for example in the database to which the pipeline
 * writes. Called on virtual threads, never on the consumer's thread. Calls for different partitions may overlap.
 */
public interface ExternalOffsets {

    /**
     * Returns the start positions of newly assigned partitions, which are not read until the positions are known. A
     * call that takes more than 30 s is interrupted. A failed or interrupted call is repeated up to five times; then
     * the run fails. {@link ConsumerHandle#health} and {@link ConsumerHandle#dump} show the waiting partitions and the
     * reason.
     *
     * @return a position for each partition; a partition missing from the map starts where the subscription specifies
     */
    CompletionStage<Map<TopicPartition, Position>> load(Set<TopicPartition> partitions);

    /**
     * Called after partitions were revoked. No more of their records are emitted, and {@code mapBlocking},
     * {@code mapAsync} and {@code forEach} start no more work on them. Work that had already started has ended, unless
     * it took longer than {@link ConsumerSettings#revokeDeadline} or the partitions were lost. The rebalance waits for
     * this call until the deadline has passed. If the wait for unfinished work has used up most of that time, the call
     * still gets at least 10 s, or the whole {@code revokeDeadline} if that is shorter. If there is also a
     * {@link RebalanceListener}, this call gets only half of the remaining time.
     */
    default void revoked(Set<TopicPartition> partitions) {}
}
