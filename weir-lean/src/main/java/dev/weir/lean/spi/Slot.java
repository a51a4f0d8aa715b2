package dev.weir.lean.spi;

import org.apache.kafka.common.TopicPartition;

/**
 * A partition in the hands of a thread. Immutable.
 *
 * @param broker which is asked for it; -1 while that is not known
 * @param thread its owner, a number from 0 on
 */
public record Slot(TopicPartition partition, int broker, int thread) {}
