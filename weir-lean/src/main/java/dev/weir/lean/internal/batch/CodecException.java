package dev.weir.lean.internal.batch;

import java.io.Serial;

/** Compressed bytes that are not what their codec makes. Immutable. */
public final class CodecException extends Exception {

    @Serial
    private static final long serialVersionUID = 1L;

    CodecException(String what) {
        super(what);
    }
}
