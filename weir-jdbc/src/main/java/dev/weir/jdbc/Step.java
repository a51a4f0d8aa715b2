package dev.weir.jdbc;

import org.apache.kafka.common.TopicPartition;

/**
 * A move of a partition's position. Immutable.
 *
 * @param topicId the topic ID of the row when it was claimed
 * @param fence the row's fencing number when it was claimed
 * @param expected the position before the move
 * @param next the position after the move
 * @param firstEpoch the first leader epoch of the records, or {@link JdbcOffsets#NO_EPOCH}
 * @param lastEpoch the last leader epoch of the records
 */
record Step(TopicPartition id, String topicId, long fence, long expected, long next, int firstEpoch, int lastEpoch) {}
