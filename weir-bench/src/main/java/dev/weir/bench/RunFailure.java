package dev.weir.bench;

/** Thrown if one run gave no figures; the campaign continues. Immutable. */
public final class RunFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public RunFailure(String message) {
        super(message);
    }

    /** Creates the failure for an unexpected message from a process. */
    public static RunFailure unasked() {
        return new RunFailure("it sent an unexpected report");
    }
}
