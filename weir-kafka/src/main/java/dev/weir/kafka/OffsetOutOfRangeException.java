package dev.weir.kafka;

import org.apache.kafka.common.TopicPartition;

/**
 * Thrown when the next record to read from a partition no longer exists, or does not exist yet; see
 * {@link OutOfRangePolicy}.
 */
public final class OffsetOutOfRangeException extends KafkaPipelineException {

    private static final long serialVersionUID = 1L;

    private final String topic;
    private final int partition;
    private final long offset;
    private final int leaderEpoch;
    private final long beginning;
    private final long end;
    private final long divergentOffset;

    /** Creates the exception with the partition's first offset and the offset after its last record. */
    public OffsetOutOfRangeException(TopicPartition id, long offset, long beginning, long end, Throwable cause) {
        this(id, offset, -1, beginning, end, -1, cause);
    }

    /**
     * Creates the exception with the leader epoch and the divergent offset.
     *
     * @param leaderEpoch the epoch of the record before {@code offset}, or -1 if unknown
     * @param divergentOffset the first offset at which the log differs from the records that were read; -1 if it is
     *     unknown or the log ends before {@code offset}
     */
    public OffsetOutOfRangeException(
            TopicPartition id,
            long offset,
            int leaderEpoch,
            long beginning,
            long end,
            long divergentOffset,
            Throwable cause) {
        super(
                id + "@" + offset + (leaderEpoch < 0 ? "" : " (leader epoch " + leaderEpoch + ")")
                        + " is out of range, the partition has " + beginning + " to " + end + ": "
                        + why(offset, beginning, end, divergentOffset)
                        + "; to continue, commit another offset for the group, or set the out-of-range policy to"
                        + " EARLIEST, LATEST or NEAREST",
                cause);
        this.topic = id.topic();
        this.partition = id.partition();
        this.offset = offset;
        this.leaderEpoch = leaderEpoch;
        this.beginning = beginning;
        this.end = end;
        this.divergentOffset = divergentOffset;
    }

    private static String why(long offset, long beginning, long end, long divergentOffset) {
        if (offset < beginning) {
            return (beginning - offset) + " records at most were deleted before they were read";
        }
        if (divergentOffset >= 0) {
            return "it was truncated, and from offset " + Math.min(divergentOffset, end)
                    + " on it is another log than the one that was read";
        }
        return offset > end ? "it was recreated or has lost its end" : "it is another log than the one that was read";
    }

    public String topic() {
        return topic;
    }

    public int partition() {
        return partition;
    }

    /** The requested offset. */
    public long offset() {
        return offset;
    }

    /** The leader epoch of the record before {@link #offset}, or -1 if unknown. */
    public int leaderEpoch() {
        return leaderEpoch;
    }

    /** The oldest offset in the log. */
    public long beginning() {
        return beginning;
    }

    /** The offset after the newest record in the log. */
    public long end() {
        return end;
    }

    /** The first offset at which the log differs from the records that were read, or -1 if unknown. */
    public long divergentOffset() {
        return divergentOffset;
    }
}
