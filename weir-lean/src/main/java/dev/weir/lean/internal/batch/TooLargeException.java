package dev.weir.lean.internal.batch;

import java.io.Serial;

/** More bytes come out of a batch than are allowed. Immutable. */
public final class TooLargeException extends Exception {

    @Serial
    private static final long serialVersionUID = 1L;

    TooLargeException() {
        super("too large");
    }
}
