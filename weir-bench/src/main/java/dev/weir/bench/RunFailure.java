package dev.weir.bench;

/** One run gave no figures; the campaign goes on. Immutable. */
public final class RunFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public RunFailure(String message) {
        super(message);
    }

    /** A process of a run said what nothing was to be said of. */
    public static RunFailure unasked() {
        return new RunFailure("it told what nobody asked");
    }
}
