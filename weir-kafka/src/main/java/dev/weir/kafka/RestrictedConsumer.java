package dev.weir.kafka;

import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/**
 * The consumer operations that a {@link RebalanceListener} may use. They must be called by the listener's thread, while
 * the rebalance waits for the listener.
 */
public interface RestrictedConsumer {

    /** Returns this member's partitions, including those just assigned but not those being revoked. */
    Set<TopicPartition> assignment();

    /** Returns the group's committed offsets. Partitions without a committed offset are omitted. */
    Map<TopicPartition, Long> committed(Set<TopicPartition> partitions);

    /**
     * Starts a newly assigned partition at the given offset instead of the committed one.
     *
     * @throws IllegalStateException if the partition is not assigned, or records of it have already been read
     */
    void seek(TopicPartition partition, long offset);
}
