package dev.weir.bench;

/** Thrown if a campaign cannot continue. The message gives the reason and suggests what the user can do. Immutable. */
public final class BenchException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public BenchException(String message) {
        super(message);
    }

    public BenchException(String message, Throwable cause) {
        super(message, cause);
    }
}
