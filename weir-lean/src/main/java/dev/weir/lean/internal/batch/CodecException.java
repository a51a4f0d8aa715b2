package dev.weir.lean.internal.batch;

import java.io.Serial;

/** Compressed bytes that their codec cannot decompress. Immutable. */
public final class CodecException extends Exception {

    @Serial
    private static final long serialVersionUID = 1L;

    CodecException(String what) {
        super(what);
    }
}
