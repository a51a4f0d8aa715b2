package dev.weir.kafka;

import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/**
 * A listener for rebalances. Its methods are called on virtual threads, one at a time. During the rebalance, the
 * consumer's owner thread waits for each call to return, for at most {@link ConsumerSettings#revokeDeadline}. If
 * partitions are revoked, the wait for unfinished records uses up part of this time. The listener still gets at least
 * 10 s, or the whole {@code revokeDeadline} if that is shorter. A call that takes longer is interrupted. The rebalance
 * then continues, and a warning is logged. An exception fails the run.
 */
public interface RebalanceListener {

    /** A listener that does nothing. */
    RebalanceListener NONE = new RebalanceListener() {
        @Override
        public String toString() {
            return "RebalanceListener.NONE";
        }
    };

    /** Called after partitions have been assigned. The set is never empty. None of their records has been read yet. */
    default void onAssigned(Set<TopicPartition> partitions, RestrictedConsumer consumer) {}

    /**
     * Called after partitions have been revoked, and when the pipeline ends. The set is never empty. The partitions'
     * finished records have been committed, and no more of their records are emitted. As with
     * {@link ExternalOffsets#revoked}, stages start no more work on them, except with {@link KafkaSource#atMostOnce}.
     */
    default void onRevoked(Set<TopicPartition> partitions, RestrictedConsumer consumer) {}

    /** Called after partitions have been lost. The set is never empty. Another member may already own them. */
    default void onLost(Set<TopicPartition> partitions) {}
}
