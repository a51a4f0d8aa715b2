package dev.weir.lean;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * A permanent fault of a lean consumer or producer. Immutable. A {@link PartitionException} concerns one partition. Any
 * other fault of a consumer concerns all its partitions, and is thrown again by every poll.
 */
public class LeanException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    /** Creates a fault with its cause. */
    public LeanException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
