package dev.weir.kafka;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.TopicPartition;

/**
 * Provides the positions of a source that are stored outside Kafka, for example in a database. Called on virtual
 * threads. Calls for different partitions may overlap.
 */
public interface ExternalOffsets {

    /**
     * Returns the start positions of newly assigned partitions. A call is interrupted after 30 s. A failed call is
     * repeated up to five times, and then the run fails. {@link ConsumerHandle#health} and {@link ConsumerHandle#dump}
     * show the waiting partitions and the reason.
     *
     * @return a position for each partition; without one, a partition starts as the subscription specifies
     */
    CompletionStage<Map<TopicPartition, Position>> load(Set<TopicPartition> partitions);

    /**
     * Called after partitions were revoked. Their records are no longer emitted, and {@code mapBlocking},
     * {@code mapAsync} and {@code forEach} start no more work on them. Running work has ended, unless it took longer
     * than {@link ConsumerSettings#revokeDeadline} or the partitions were lost. The rebalance waits for this call until
     * the deadline, but for at least 10 s (or {@code revokeDeadline}, if that is shorter). With a
     * {@link RebalanceListener}, this call gets half of the remaining time.
     */
    default void revoked(Set<TopicPartition> partitions) {}
}
