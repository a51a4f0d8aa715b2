package dev.weir.lean;

import java.io.Serial;

/**
 * Thrown if the consumer's position is no longer valid and no reset policy applies: the log does not contain the next
 * offset, or the records before it differ from the records that were read. Immutable.
 */
public final class OffsetLostException extends PartitionException {

    @Serial
    private static final long serialVersionUID = 1L;

    private final long divergentOffset;

    private final boolean otherTopic;

    private OffsetLostException(
            String topic, int partition, long offset, String what, long divergentOffset, boolean otherTopic) {
        super(topic, partition, offset, what + "; seek, or set a policy with onOffsetLost");
        this.divergentOffset = divergentOffset;
        this.otherTopic = otherTopic;
    }

    /** Creates the exception for an offset that was deleted or has not been written yet. */
    public static OffsetLostException outOfRange(String topic, int partition, long offset) {
        return new OffsetLostException(
                topic, partition, offset, "the offset is not in the log (deleted, or not yet written)", -1, false);
    }

    /**
     * Creates the exception for a truncated log. From {@code divergentOffset} on, the log's records differ from the
     * records that were read.
     */
    public static OffsetLostException truncated(String topic, int partition, long offset, long divergentOffset) {
        String what = "the log was truncated; it differs from what was read from offset " + divergentOffset;
        return new OffsetLostException(topic, partition, offset, what, divergentOffset, false);
    }

    /** Creates the exception for an offset that was deleted together with its topic. */
    public static OffsetLostException otherTopic(String topic, int partition, long offset) {
        String what = "the topic was deleted, and another topic of this name is there";
        return new OffsetLostException(topic, partition, offset, what, -1, true);
    }

    /**
     * The first offset at which a truncated log differs from the records that were read; -1 if the log was not
     * truncated.
     */
    public long divergentOffset() {
        return divergentOffset;
    }

    /** Returns whether the topic was deleted and recreated under the same name. */
    public boolean isOtherTopic() {
        return otherTopic;
    }
}
