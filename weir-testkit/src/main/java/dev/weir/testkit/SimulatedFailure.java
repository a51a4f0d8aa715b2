package dev.weir.testkit;

/** The failure that {@link SimulatedKafka#work} throws when the seed says so: nothing was done. Immutable. */
public final class SimulatedFailure extends RuntimeException {

    private static final long serialVersionUID = 1;

    /** Creates one that says what failed. */
    public SimulatedFailure(String what) {
        super(what);
    }
}
