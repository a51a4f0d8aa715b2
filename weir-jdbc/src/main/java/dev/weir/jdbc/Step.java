package dev.weir.jdbc;

import org.apache.kafka.common.TopicPartition;

/**
 * One move of a partition's position. Immutable.
 *
 * @param topicId of the row as it was claimed
 * @param fence of the row as it was claimed
 * @param expected where the position is before
 * @param next where it is afterwards
 * @param firstEpoch the first leader epoch that records between have, or {@link JdbcOffsets#NO_EPOCH}
 * @param lastEpoch the last one
 */
record Step(TopicPartition id, String topicId, long fence, long expected, long next, int firstEpoch, int lastEpoch) {}
