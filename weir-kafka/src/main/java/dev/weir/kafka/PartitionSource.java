package dev.weir.kafka;

import dev.weir.stream.Source;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * A partition during its assignment to this member. Immutable.
 *
 * @param partition the assigned partition
 * @param records its records, for one stream in the same pipeline; ends when the partition is revoked
 */
public record PartitionSource<K, V>(TopicPartition partition, Source<ConsumerRecord<K, V>> records) {}
