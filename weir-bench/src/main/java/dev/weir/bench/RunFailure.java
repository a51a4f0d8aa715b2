package dev.weir.bench;

/** One run gave no figures; the campaign goes on. Immutable. */
public final class RunFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public RunFailure(String message) {
        super(message);
    }
}
