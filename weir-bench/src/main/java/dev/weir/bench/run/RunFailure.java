package dev.weir.bench.run;

/** One run gave no figures; the campaign goes on. Immutable. */
final class RunFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    RunFailure(String message) {
        super(message);
    }
}
