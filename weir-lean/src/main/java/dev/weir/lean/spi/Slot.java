package dev.weir.lean.spi;

import org.apache.kafka.common.TopicPartition;

/**
 * A partition assigned to a thread. Immutable.
 *
 * @param broker the broker it is fetched from; -1 while not known
 * @param thread the number of its owner, from 0
 */
public record Slot(TopicPartition partition, int broker, int thread) {}
