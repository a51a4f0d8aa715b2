package dev.weir.bench.run;

/** A campaign that cannot go on; the message says why and what to do. Immutable. */
public final class BenchException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    BenchException(String message) {
        super(message);
    }

    BenchException(String message, Throwable cause) {
        super(message, cause);
    }
}
