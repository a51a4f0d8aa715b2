package dev.weir.kafka;

import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/**
 * A listener for rebalances. Its methods are called on virtual threads, one at a time. The consumer's owner thread
 * waits for each call within the rebalance, for at most {@link ConsumerSettings#revokeDeadline}. During a revocation,
 * the wait for unfinished records uses up part of that time, but the listener always gets at least 10 s, or the whole
 * deadline if that is less than 10 s. A call that takes longer is interrupted; the rebalance then continues, and a
 * warning is logged. An exception fails the run.
 */
public interface RebalanceListener {

    /** A listener that does nothing. */
    RebalanceListener NONE = new RebalanceListener() {
        @Override
        public String toString() {
            return "RebalanceListener.NONE";
        }
    };

    /** Called with newly assigned partitions, at least one. None of their records has been read yet. */
    default void onAssigned(Set<TopicPartition> partitions, RestrictedConsumer consumer) {}

    /**
     * Called with revoked partitions, at least one, and also when the pipeline ends. Their finished records have been
     * committed, and no more of their records are emitted. As with {@link ExternalOffsets#revoked}, stages start no
     * more work on their records, except with {@link KafkaSource#atMostOnce}.
     */
    default void onRevoked(Set<TopicPartition> partitions, RestrictedConsumer consumer) {}

    /** Called with partitions that were lost without notice, at least one. Another member may already own them. */
    default void onLost(Set<TopicPartition> partitions) {}
}
