package dev.weir.driver;

/** The exception of a handler that is to fail. It has no stack trace: logs would be full of them. Immutable. */
public final class HandlerFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    HandlerFailure() {
        super("this call is to fail", null, false, false);
    }
}
