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
     * Says where to go on with partitions that have come. Nothing of them is read until the answer is there. An answer
     * that fails, or is not there within 30 s, is asked for again, up to five times; then the run fails. A call that
     * blocks for longer is interrupted. The partitions that wait, and why, are in {@link ConsumerHandle#health} and
     * {@link ConsumerHandle#dump}.
     *
     * @return a position for each; a partition that is left out begins as the subscription says
     */
    CompletionStage<Map<TopicPartition, Position>> load(Set<TopicPartition> partitions);

    /**
     * Tells that partitions have gone: nothing more of them is emitted, and no work on them begins any more in {@code
     * mapBlocking}, {@code mapAsync} and {@code forEach}; work that had begun has ended, unless it took longer than
     * {@link ConsumerSettings#revokeDeadline}, or the partitions were lost without notice. The group waits for the
     * return, for the rest of that deadline, 10 s at least if the deadline is that long; with a {@link
     * RebalanceListener} half of it.
     */
    default void revoked(Set<TopicPartition> partitions) {}
}
