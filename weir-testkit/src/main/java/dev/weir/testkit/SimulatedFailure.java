package dev.weir.testkit;

/** The failure thrown by {@link SimulatedKafka#work} when the seed says so; the work was not done. Immutable. */
public final class SimulatedFailure extends RuntimeException {

    private static final long serialVersionUID = 1;

    /** Creates a failure with a description. */
    public SimulatedFailure(String what) {
        super(what);
    }
}
