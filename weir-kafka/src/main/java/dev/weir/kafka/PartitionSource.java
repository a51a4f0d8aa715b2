package dev.weir.kafka;

import dev.weir.stream.Source;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * A partition assigned to this member, together with its records. Immutable.
 *
 * @param partition the assigned partition
 * @param records the partition's records, until the partition is revoked; may be run once, within the pipeline that
 *     emitted this object
 */
public record PartitionSource<K, V>(TopicPartition partition, Source<ConsumerRecord<K, V>> records) {}
