package dev.weir.lean;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * A permanent fault of a lean consumer. Immutable. A {@link PartitionException} concerns one partition; any other fault
 * concerns the whole consumer, and recurs with each poll.
 */
public class LeanException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    /** Creates a fault with its cause. */
    public LeanException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
