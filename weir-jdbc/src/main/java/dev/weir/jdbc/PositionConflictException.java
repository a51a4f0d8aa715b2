package dev.weir.jdbc;

import dev.weir.kafka.KafkaPipelineException;
import org.apache.kafka.common.TopicPartition;

/**
 * Thrown after a rollback if the records do not follow the position in the table: another member owns the partition or
 * has written these records, or an earlier transaction is missing. The next run continues at the position in the table.
 */
public final class PositionConflictException extends KafkaPipelineException {

    private static final long serialVersionUID = 1L;

    private final String topic;
    private final int partition;
    private final long expected;
    private final long found;

    PositionConflictException(TopicPartition id, long expected, long found, String reason) {
        super(id + ": position " + text(expected) + " was expected and " + text(found) + " was found: " + reason);
        this.topic = id.topic();
        this.partition = id.partition();
        this.expected = expected;
        this.found = found;
    }

    private static String text(long position) {
        return position == JdbcOffsets.NOTHING_WRITTEN ? "none" : Long.toString(position);
    }

    public String topic() {
        return topic;
    }

    public int partition() {
        return partition;
    }

    /** The position expected in the table, or {@link JdbcOffsets#NOTHING_WRITTEN} if no written record was expected. */
    public long expected() {
        return expected;
    }

    /** The position in the table, or {@link JdbcOffsets#NOTHING_WRITTEN} if there is none. */
    public long found() {
        return found;
    }
}
