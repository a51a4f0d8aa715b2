package dev.weir.lean.spi;

import org.apache.kafka.common.TopicPartition;

/**
 * A partition assigned to a thread. Immutable.
 *
 * @param broker the id of the broker from which the partition is fetched; -1 while unknown
 * @param thread the number of the thread that owns the partition, starting at 0
 */
public record Slot(TopicPartition partition, int broker, int thread) {}
