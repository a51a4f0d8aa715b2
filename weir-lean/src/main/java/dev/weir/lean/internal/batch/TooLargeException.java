package dev.weir.lean.internal.batch;

import java.io.Serial;

/** A batch decompresses to more bytes than are allowed, or than there is memory for. Immutable. */
public final class TooLargeException extends Exception {

    @Serial
    private static final long serialVersionUID = 1L;

    private final long missingBytes;

    TooLargeException() {
        this(0);
    }

    /** @param missingBytes the memory that the JVM refused; 0 if the limit was reached */
    TooLargeException(long missingBytes) {
        super("too large");
        this.missingBytes = missingBytes;
    }

    /** The memory that the JVM refused; 0 if the limit was reached. */
    long missingBytes() {
        return missingBytes;
    }
}
