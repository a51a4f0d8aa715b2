package dev.weir.testkit;

/** What {@link SimulatedKafka#work} throws when the seed lets it fail: nothing was done. Immutable. */
public final class SimulatedFailure extends RuntimeException {

    private static final long serialVersionUID = 1;

    /** Creates one that says what failed. */
    public SimulatedFailure(String what) {
        super(what);
    }
}
