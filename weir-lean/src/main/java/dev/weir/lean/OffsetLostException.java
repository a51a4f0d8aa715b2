package dev.weir.lean;

import java.io.Serial;

/** A position that the log does not have, or has with other records, and no reset policy. Immutable. */
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

    /** It was deleted, or is not yet written. */
    public static OffsetLostException outOfRange(String topic, int partition, long offset) {
        return new OffsetLostException(
                topic, partition, offset, "the offset is not in the log (deleted, or not yet written)", -1, false);
    }

    /** The log has other records from {@code divergentOffset} on. */
    public static OffsetLostException truncated(String topic, int partition, long offset, long divergentOffset) {
        String what = "the log was truncated; it differs from what was read from offset " + divergentOffset;
        return new OffsetLostException(topic, partition, offset, what, divergentOffset, false);
    }

    /** It was deleted with its topic. */
    public static OffsetLostException otherTopic(String topic, int partition, long offset) {
        String what = "the topic was deleted, and another topic of this name is there";
        return new OffsetLostException(topic, partition, offset, what, -1, true);
    }

    /**
     * The offset from which on the log differs from the records that were read, if it was truncated; -1 if the offset
     * is not in the log at all.
     */
    public long divergentOffset() {
        return divergentOffset;
    }

    /** Returns whether the log is that of another topic, made under the name of one that was deleted. */
    public boolean isOtherTopic() {
        return otherTopic;
    }
}
