package dev.weir.bench;

/** Thrown if a run produced no results. The campaign continues with the next run. Immutable. */
public final class RunFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public RunFailure(String message) {
        super(message);
    }

    /** Creates the failure for a run in which a process sent an unexpected report. */
    public static RunFailure unasked() {
        return new RunFailure("it sent an unexpected report");
    }
}
