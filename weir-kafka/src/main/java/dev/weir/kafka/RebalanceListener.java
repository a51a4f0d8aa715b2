package dev.weir.kafka;

import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/**
 * Told when the group moves partitions. Called on virtual threads, one call at a time, while the consumer's thread
 * waits within the rebalance, up to {@link ConsumerSettings#revokeDeadline}, which a revocation shares with the work
 * that is waited for (10 s at least are the hooks', if the deadline is that long). A call that takes longer is
 * abandoned with a warning. An exception fails the run.
 */
public interface RebalanceListener {

    /** Does nothing. */
    RebalanceListener NONE = new RebalanceListener() {
        @Override
        public String toString() {
            return "RebalanceListener.NONE";
        }
    };

    /** Partitions have come, at least one; nothing of them has been read. */
    default void onAssigned(Set<TopicPartition> partitions, RestrictedConsumer consumer) {}

    /**
     * Partitions go, at least one, also because the pipeline ends. Their finished records are committed, nothing more
     * is emitted. With every source but {@link KafkaSource#atMostOnce} no work on them begins any more, as with {@link
     * ExternalOffsets#revoked}.
     */
    default void onRevoked(Set<TopicPartition> partitions, RestrictedConsumer consumer) {}

    /** Partitions, at least one, are gone without notice, and another member may have them already. */
    default void onLost(Set<TopicPartition> partitions) {}
}
