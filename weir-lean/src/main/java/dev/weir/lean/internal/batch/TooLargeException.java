package dev.weir.lean.internal.batch;

import java.io.Serial;

/** Thrown if a batch decompresses to more bytes than the limit allows, or than the JVM can allocate. Immutable. */
public final class TooLargeException extends Exception {

    @Serial
    private static final long serialVersionUID = 1L;

    private final long missingBytes;

    TooLargeException() {
        this(0);
    }

    /** @param missingBytes the number of bytes that the JVM could not allocate; 0 if the limit was reached */
    TooLargeException(long missingBytes) {
        super("too large");
        this.missingBytes = missingBytes;
    }

    long missingBytes() {
        return missingBytes;
    }
}
