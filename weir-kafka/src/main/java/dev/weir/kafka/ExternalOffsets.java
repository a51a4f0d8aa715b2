package dev.weir.kafka;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.TopicPartition;

/**
 * Gives the positions of a source that keeps them outside Kafka, for instance in the database that it writes to. Called
 * on virtual threads, never on the consumer's; calls for different partitions may overlap.
 */
public interface ExternalOffsets {

    /**
     * Returns the start positions of newly assigned partitions, which are not read before that. A call that fails or
     * takes more than 30 s (it is then interrupted) is repeated up to five times; then the run fails. {@link
     * ConsumerHandle#health} and {@link ConsumerHandle#dump} show the waiting partitions and the reason.
     *
     * @return a position for each partition; one that is left out starts as the subscription says
     */
    CompletionStage<Map<TopicPartition, Position>> load(Set<TopicPartition> partitions);

    /**
     * Reports that partitions were revoked. Nothing more of them is emitted, and {@code mapBlocking}, {@code mapAsync}
     * and {@code forEach} start no more work on them. Work already started has ended, unless it took longer than {@link
     * ConsumerSettings#revokeDeadline} or the partitions were lost. The rebalance waits for this call for the rest of
     * that deadline, but at least 10 s if the deadline is that long, or half of that with a {@link RebalanceListener}.
     */
    default void revoked(Set<TopicPartition> partitions) {}
}
