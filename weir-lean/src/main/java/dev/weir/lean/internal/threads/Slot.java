package dev.weir.lean.internal.threads;

import org.apache.kafka.common.TopicPartition;

/**
 * A partition in the hands of a thread.
 *
 * @param broker which is asked for it; -1 while that is not known
 * @param thread its owner
 */
record Slot(TopicPartition partition, int broker, int thread) {}
