package dev.weir.kafka;

import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/**
 * The consumer operations available to a {@link RebalanceListener} during a call. Usable only from the listener's
 * thread, and only while the rebalance waits for it.
 */
public interface RestrictedConsumer {

    /** The partitions of this member, including those just assigned and excluding those being revoked. */
    Set<TopicPartition> assignment();

    /** The group's committed offsets; partitions without one are left out. */
    Map<TopicPartition, Long> committed(Set<TopicPartition> partitions);

    /**
     * Starts a newly assigned partition at an offset instead of the committed one.
     *
     * @throws IllegalStateException if the partition is not assigned, or some of its records have been read
     */
    void seek(TopicPartition partition, long offset);
}
