package dev.weir.cli;

/** A fault of an {@code exec:} command or of what it was given. The record concerned stays unacknowledged. */
final class LineProcessException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    LineProcessException(String message) {
        super(message);
    }
}
