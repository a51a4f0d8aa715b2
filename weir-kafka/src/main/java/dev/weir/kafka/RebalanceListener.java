package dev.weir.kafka;

import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/**
 * Listener for rebalances. Called on virtual threads, one call at a time, while the consumer's thread waits within the
 * rebalance, for at most {@link ConsumerSettings#revokeDeadline}. A revocation shares that time with unfinished work,
 * but the listener gets at least 10 s if the deadline is that long. A longer call is abandoned with a warning. An
 * exception fails the run.
 */
public interface RebalanceListener {

    /** A listener that does nothing. */
    RebalanceListener NONE = new RebalanceListener() {
        @Override
        public String toString() {
            return "RebalanceListener.NONE";
        }
    };

    /** Reports newly assigned partitions, at least one; none of their records has been read. */
    default void onAssigned(Set<TopicPartition> partitions, RestrictedConsumer consumer) {}

    /**
     * Reports revoked partitions, at least one, also when the pipeline ends. Their finished records are committed and
     * nothing more is emitted. Except with {@link KafkaSource#atMostOnce}, no more work on them starts, as in
     * {@link ExternalOffsets#revoked}.
     */
    default void onRevoked(Set<TopicPartition> partitions, RestrictedConsumer consumer) {}

    /** Reports partitions lost without notice, at least one, which another member may already own. */
    default void onLost(Set<TopicPartition> partitions) {}
}
