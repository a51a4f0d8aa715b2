package dev.weir.examples.asimov;

/** The reason why a text is not an LZ-string stream, or why it decompresses to more than allowed. Immutable. */
public final class LzStringException extends Exception {
    private static final long serialVersionUID = 1L;

    /** A fault of the stream. */
    public enum Fault {
        /** The text ends before the stream's end mark. */
        TRUNCATED,
        /** A character is not in the form's alphabet. */
        FOREIGN_SYMBOL,
        /** A code names a phrase that does not exist yet. */
        UNKNOWN_CODE,
        /** The output would be larger than the caller allows. */
        TOO_LARGE
    }

    private final Fault fault;

    LzStringException(Fault fault, String message) {
        // Bad input is an everyday outcome, so the exception has no stack trace.
        super(message, null, false, false);
        this.fault = fault;
    }

    /** Returns the fault of the stream. */
    public Fault fault() {
        return fault;
    }
}
