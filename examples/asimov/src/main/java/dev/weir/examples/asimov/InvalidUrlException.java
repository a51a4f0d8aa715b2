package dev.weir.examples.asimov;

/** Says why a text is not the URL of a web page. Immutable. */
public final class InvalidUrlException extends Exception {
    private static final long serialVersionUID = 1L;

    private final String message;

    InvalidUrlException(String message) {
        // Bad input is an everyday outcome here: no stack trace.
        super(message, null, false, false);
        this.message = message;
    }

    /** Never null. */
    @Override
    public String getMessage() {
        return message;
    }
}
