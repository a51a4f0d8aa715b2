package dev.weir.lean;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** Bytes that no broker should send: a wrong checksum, or a length beyond the end. Immutable. */
public final class CorruptBatchException extends PartitionException {

    @Serial
    private static final long serialVersionUID = 1L;

    /** Creates the exception for an invalid batch at {@code offset}. */
    public CorruptBatchException(String topic, int partition, long offset, String what, @Nullable Throwable cause) {
        super(topic, partition, offset, "corrupt batch: " + what, cause);
    }
}
