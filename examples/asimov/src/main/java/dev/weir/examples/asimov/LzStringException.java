package dev.weir.examples.asimov;

/** Thrown if a text is not a valid LZ-string stream, or decompresses to more than the allowed size. Immutable. */
public final class LzStringException extends Exception {
    private static final long serialVersionUID = 1L;

    /** A fault of the stream. */
    public enum Fault {
        /** The text ends before the stream's end mark. */
        TRUNCATED,
        /** The text contains a character outside the alphabet of its form. */
        FOREIGN_SYMBOL,
        /** A code refers to a phrase that is not in the dictionary yet. */
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
