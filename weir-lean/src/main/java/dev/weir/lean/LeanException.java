package dev.weir.lean;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * A fault of a lean consumer that does not pass by itself. Immutable. One of a partition is a
 * {@link PartitionException}; any other is of the whole consumer, and comes again with each poll.
 */
public class LeanException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    /** A fault with what caused it. */
    public LeanException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
