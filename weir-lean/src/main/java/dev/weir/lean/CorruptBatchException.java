package dev.weir.lean;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * Thrown for bytes that no broker should send, such as a batch with a wrong checksum or a length beyond the end of the
 * data. Immutable.
 */
public final class CorruptBatchException extends PartitionException {

    @Serial
    private static final long serialVersionUID = 1L;

    /** Creates the exception for an invalid batch at {@code offset}. */
    public CorruptBatchException(String topic, int partition, long offset, String what, @Nullable Throwable cause) {
        super(topic, partition, offset, "corrupt batch: " + what, cause);
    }
}
