package dev.weir.lean;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * A fault of one partition. Immutable. A consumer throws each fault once. Afterwards the partition delivers nothing
 * until {@link LeanConsumer#seek} or, if a batch is at fault, {@link LeanConsumer#skipBatch} is called. Other
 * partitions continue.
 */
public sealed class PartitionException extends LeanException
        permits CorruptBatchException, BatchTooLargeException, UnsupportedBatchException, OffsetLostException {

    @Serial
    private static final long serialVersionUID = 1L;

    private final String topic;
    private final int partition;
    private final long offset;

    /** Creates the exception for a fault that the broker reported, such as a missing permission. */
    public PartitionException(String topic, int partition, long offset, String what) {
        this(topic, partition, offset, what, null);
    }

    PartitionException(String topic, int partition, long offset, String what, @Nullable Throwable cause) {
        super(topic + "-" + partition + "@" + offset + ": " + what, cause);
        this.topic = topic;
        this.partition = partition;
        this.offset = offset;
    }

    public String topic() {
        return topic;
    }

    public int partition() {
        return partition;
    }

    /** The first offset that could not be read. */
    public long offset() {
        return offset;
    }
}
