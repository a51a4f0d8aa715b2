package dev.weir.lean;

import java.io.Serial;

/**
 * Thrown for a batch in an unsupported format: a message format older than Kafka 0.11, or an unknown compression codec.
 * Immutable.
 */
public final class UnsupportedBatchException extends PartitionException {

    @Serial
    private static final long serialVersionUID = 1L;

    /** Creates the exception for a batch at {@code offset}. */
    public UnsupportedBatchException(String topic, int partition, long offset, String what) {
        super(topic, partition, offset, what);
    }
}
