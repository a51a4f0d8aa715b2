package dev.weir.kafka;

import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/**
 * The part of a consumer that may be used from within a {@link RebalanceListener}, and as long as that is waited for.
 * Usable from the listener's thread.
 */
public interface RestrictedConsumer {

    /** The partitions that this member has, with those that have just come, without those that go. */
    Set<TopicPartition> assignment();

    /** The group's committed offsets; partitions of which it has committed nothing are left out. */
    Map<TopicPartition, Long> committed(Set<TopicPartition> partitions);

    /**
     * Lets a partition that has just come begin at an offset instead of the committed one.
     *
     * @throws IllegalStateException if it is not assigned, or records of it were read already
     */
    void seek(TopicPartition partition, long offset);
}
