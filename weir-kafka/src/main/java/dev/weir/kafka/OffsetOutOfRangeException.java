package dev.weir.kafka;

import org.apache.kafka.common.TopicPartition;

/** The next record to read of a partition is not there any more, or not there yet; see {@link OutOfRangePolicy}. */
public final class OffsetOutOfRangeException extends KafkaPipelineException {

    private static final long serialVersionUID = 1L;

    private final String topic;
    private final int partition;
    private final long offset;
    private final long beginning;
    private final long end;

    /** Describes the partition with what it has. */
    public OffsetOutOfRangeException(TopicPartition id, long offset, long beginning, long end, Throwable cause) {
        super(
                id + "@" + offset + " is out of range, the partition has " + beginning + " to " + end + ": "
                        + (offset < beginning
                                ? (beginning - offset) + " records at most were deleted before they were read"
                                : "it was made anew or has lost its end")
                        + "; to go on, commit another offset for the group, or set the out-of-range policy to"
                        + " EARLIEST, LATEST or NEAREST",
                cause);
        this.topic = id.topic();
        this.partition = id.partition();
        this.offset = offset;
        this.beginning = beginning;
        this.end = end;
    }

    public String topic() {
        return topic;
    }

    public int partition() {
        return partition;
    }

    /** The offset that was asked for. */
    public long offset() {
        return offset;
    }

    /** The oldest offset that is there. */
    public long beginning() {
        return beginning;
    }

    /** The offset behind the newest record. */
    public long end() {
        return end;
    }
}
