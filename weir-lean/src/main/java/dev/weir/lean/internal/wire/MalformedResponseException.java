package dev.weir.lean.internal.wire;

import java.io.Serial;

/** A malformed response, after which its connection is unusable. Immutable. */
public final class MalformedResponseException extends Exception {

    @Serial
    private static final long serialVersionUID = 1L;

    public MalformedResponseException(String what) {
        super(what);
    }
}
