package dev.weir.lean.internal.batch;

import java.io.Serial;

/** Thrown if a codec cannot decompress its input. Immutable. */
public final class CodecException extends Exception {

    @Serial
    private static final long serialVersionUID = 1L;

    CodecException(String what) {
        super(what);
    }
}
