package dev.weir.kafka.internal.out.transaction;

import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * A transaction that accepts no more records and is being committed. Immutable.
 *
 * @param offsets the offsets to commit, which cover exactly the finished inputs
 * @param partitions the partitions of these offsets
 * @param member the consumer's group member; brokers reject the offsets if the group has rebalanced since (KIP-447)
 */
record TransactionCut<K, V>(
        OpenTransaction<K, V> transaction,
        Map<TopicPartition, OffsetAndMetadata> offsets,
        List<AssignedPartition> partitions,
        ConsumerGroupMetadata member) {}
