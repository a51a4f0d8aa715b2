package dev.weir.examples.asimov;

/** Carries a {@link Malformed} from nested methods of the parser to its caller; never leaves the package. Immutable. */
final class MalformedEventException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient Malformed malformed;

    MalformedEventException(Reason reason, String message) {
        // Bad input is an everyday outcome, so the exception has no stack trace.
        super(message, null, false, false);
        this.malformed = new Malformed(reason, message);
    }

    Malformed malformed() {
        return malformed;
    }
}
