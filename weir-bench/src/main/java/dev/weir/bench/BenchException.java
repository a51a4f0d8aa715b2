package dev.weir.bench;

/** Thrown if a campaign cannot continue; the message says why and what to do. Immutable. */
public final class BenchException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public BenchException(String message) {
        super(message);
    }

    public BenchException(String message, Throwable cause) {
        super(message, cause);
    }
}
