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
     * Returns the start positions of newly assigned partitions, which are not read until the positions are known. If a
     * call fails, or takes more than 30 s and is interrupted, it is repeated up to five times; then the run fails.
     * {@link ConsumerHandle#health} and {@link ConsumerHandle#dump} show the waiting partitions and the reason.
     *
     * @return a position for each partition; a partition without one starts where the subscription specifies
     */
    CompletionStage<Map<TopicPartition, Position>> load(Set<TopicPartition> partitions);

    /**
     * Called after partitions were revoked. No more of their records are emitted, and {@code mapBlocking},
     * {@code mapAsync} and {@code forEach} start no more work on them. Work that had already started has ended, unless
     * it took longer than {@link ConsumerSettings#revokeDeadline} or the partitions were lost. The rebalance waits for
     * this call for the rest of the deadline. It waits for at least 10 s, or for the whole deadline if the deadline is
     * shorter. With a {@link RebalanceListener}, it waits for half of that time.
     */
    default void revoked(Set<TopicPartition> partitions) {}
}
