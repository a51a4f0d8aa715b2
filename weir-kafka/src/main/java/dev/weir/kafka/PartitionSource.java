package dev.weir.kafka;

import dev.weir.stream.Source;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * One partition for the time that this member has it. Immutable.
 *
 * @param partition which one
 * @param records its records; ends when the group takes the partition away. For one stream, in the pipeline that it
 *     came from
 */
public record PartitionSource<K, V>(TopicPartition partition, Source<ConsumerRecord<K, V>> records) {}
