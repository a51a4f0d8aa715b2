package dev.weir.kafka.internal.consumer;

import dev.weir.kafka.internal.offsets.OffsetTracker;
import org.apache.kafka.common.TopicPartition;

/** One partition for the time of one assignment. Confined to the owner thread. */
final class AssignedPartition {

    /** {@link #committedOffset} before anything was committed. */
    static final long UNKNOWN = -1;

    final TopicPartition id;
    final OffsetTracker tracker;

    /** Records from this offset on are not emitted: the end of a bounded read. */
    final long endOffset;

    /** Whether the client was told to pause, because the pipeline is behind or the end is reached. */
    boolean paused;

    /** Whether a bounded read is through. */
    boolean atEnd;

    long committedOffset = UNKNOWN;

    AssignedPartition(TopicPartition id, OffsetTracker tracker, long endOffset) {
        this.id = id;
        this.tracker = tracker;
        this.endOffset = endOffset;
    }

    @Override
    public String toString() {
        return id.toString();
    }
}
