package dev.weir.examples.asimov;

/** Thrown if a string is not the URL of a web page. Immutable. */
public final class InvalidUrlException extends Exception {
    private static final long serialVersionUID = 1L;

    private final String message;

    InvalidUrlException(String message) {
        // Bad input is an everyday outcome, so the exception has no stack trace.
        super(message, null, false, false);
        this.message = message;
    }

    /** Returns the message, which is never null. */
    @Override
    public String getMessage() {
        return message;
    }
}
