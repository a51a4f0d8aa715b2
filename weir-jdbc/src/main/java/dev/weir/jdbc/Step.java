package dev.weir.jdbc;

import org.apache.kafka.common.TopicPartition;

/**
 * One move of a partition's position. Immutable.
 *
 * @param expected where the position is before
 * @param next where it is afterwards
 * @param firstEpoch leader epoch of the first record between, or {@link JdbcOffsets#NO_EPOCH}
 * @param lastEpoch that of the last
 */
record Step(TopicPartition id, long fence, long expected, long next, int firstEpoch, int lastEpoch) {}
