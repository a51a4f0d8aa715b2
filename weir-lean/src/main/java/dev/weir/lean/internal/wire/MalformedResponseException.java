package dev.weir.lean.internal.wire;

import java.io.Serial;

/** Thrown for a malformed response, after which the connection is unusable. Immutable. */
public final class MalformedResponseException extends Exception {

    @Serial
    private static final long serialVersionUID = 1L;

    public MalformedResponseException(String what) {
        super(what);
    }
}
