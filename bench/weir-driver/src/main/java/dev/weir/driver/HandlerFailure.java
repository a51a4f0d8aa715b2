package dev.weir.driver;

/** The exception of a planned handler failure. It has no stack trace, which would fill the logs. Immutable. */
public final class HandlerFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    HandlerFailure() {
        super("this call is to fail", null, false, false);
    }
}
