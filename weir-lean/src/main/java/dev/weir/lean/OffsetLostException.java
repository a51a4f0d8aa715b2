package dev.weir.lean;

import java.io.Serial;

/** A position that the log does not have, or has with other records, and no reset policy. Immutable. */
public final class OffsetLostException extends PartitionException {

    @Serial
    private static final long serialVersionUID = 1L;

    private final long divergentOffset;

    /** @param divergentOffset see {@link #divergentOffset} */
    public OffsetLostException(String topic, int partition, long offset, long divergentOffset) {
        super(
                topic,
                partition,
                offset,
                (divergentOffset < 0
                                ? "the offset is not in the log (deleted, or not yet written)"
                                : "the log was truncated; it differs from what was read from offset " + divergentOffset)
                        + "; seek, or set a policy with onOffsetLost");
        this.divergentOffset = divergentOffset;
    }

    /** From where on the log differs from what was read, if it was truncated; -1 if the offset is out of range. */
    public long divergentOffset() {
        return divergentOffset;
    }
}
