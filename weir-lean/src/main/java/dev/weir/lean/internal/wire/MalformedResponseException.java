package dev.weir.lean.internal.wire;

import java.io.Serial;

/** A response that is not one: its connection is of no more use. Immutable. */
public final class MalformedResponseException extends Exception {

    @Serial
    private static final long serialVersionUID = 1L;

    public MalformedResponseException(String what) {
        super(what);
    }
}
